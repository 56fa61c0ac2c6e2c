import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;

/** Transactions, offsets inside them, and fencing: {@code Transactions BROKERS PREFIX PROTOCOL}. */
public final class Transactions {
  private static String brokers;
  private static String prefix;
  private static String protocol;

  public static void main(String[] args) throws Exception {
    brokers = args[0];
    prefix = args[1];
    protocol = args[2];
    try (Admin admin = Admin.create(Check.properties(brokers))) {
      admin.createTopics(List.of(new NewTopic(prefix + "-in", 2, (short) 1), new NewTopic(prefix + "-out", 2, (short) 1)))
          .all().get();
      commitAndAbort(admin);
      consumeTransformProduce();
      fencing(admin);
      openOnesAreAborted(admin);
    }
    System.out.println("ok");
  }

  private static KafkaProducer<String, String> transactional(String id, String... more) {
    String[] all = new String[more.length + 2];
    all[0] = "transactional.id";
    all[1] = prefix + id;
    System.arraycopy(more, 0, all, 2, more.length);
    KafkaProducer<String, String> producer = Check.producer(brokers, all);
    producer.initTransactions();
    return producer;
  }

  private static KafkaConsumer<String, String> reader(String isolation, TopicPartition... partitions) {
    KafkaConsumer<String, String> consumer = Check.consumer(brokers, "isolation.level", isolation);
    consumer.assign(List.of(partitions));
    consumer.seekToBeginning(List.of(partitions));
    return consumer;
  }

  /** Only committed records are read with read_committed; an open transaction holds the reader back. */
  private static void commitAndAbort(Admin admin) throws Exception {
    TopicPartition in = new TopicPartition(prefix + "-in", 0);
    try (KafkaProducer<String, String> producer = transactional("-tx")) {
      for (String kind : List.of("committed", "aborted", "committed")) {
        producer.beginTransaction();
        for (int i = 0; i < 5; i++) producer.send(new ProducerRecord<>(in.topic(), 0, "k", kind + i));
        if (kind.equals("aborted")) {
          producer.flush();
          producer.abortTransaction();
        } else producer.commitTransaction();
      }
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(in.topic(), 0, "k", "open")).get();
      try (KafkaConsumer<String, String> committed = reader("read_committed", in)) {
        List<String> values = Check.values(Check.pollFor(committed, 10));
        Check.that(values.stream().allMatch(v -> v.startsWith("committed")), "only committed: " + values);
        Check.equal(18L, committed.endOffsets(List.of(in)).get(in), "last stable offset");
      }
      try (KafkaConsumer<String, String> dirty = reader("read_uncommitted", in)) {
        Check.equal(16, Check.pollFor(dirty, 16).size(), "records of all transactions");
        Check.equal(19L, dirty.endOffsets(List.of(in)).get(in), "high watermark");
      }
      var listed = admin.listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING)))
          .all().get();
      Check.that(listed.stream().anyMatch(t -> t.transactionalId().equals(prefix + "-tx")), "listed as ongoing");
      var described = admin.describeTransactions(List.of(prefix + "-tx")).description(prefix + "-tx").get();
      Check.equal(Set.of(in), described.topicPartitions(), "partitions of the open transaction");
      var producers = admin.describeProducers(List.of(in)).partitionResult(in).get().activeProducers();
      Check.equal(1, producers.size(), "producers of the partition");
      producer.abortTransaction();
    }
  }

  /** Output and input position are one unit: an aborted round leaves no output and no moved offset. */
  private static void consumeTransformProduce() throws Exception {
    TopicPartition in = new TopicPartition(prefix + "-in", 1);
    TopicPartition out = new TopicPartition(prefix + "-out", 0);
    String group = prefix + "-ctp";
    try (KafkaProducer<String, String> plain = Check.producer(brokers)) {
      for (int i = 0; i < 10; i++) plain.send(new ProducerRecord<>(in.topic(), 1, "k" + i, "v" + i));
    }
    try (KafkaProducer<String, String> producer = transactional("-ctp");
        KafkaConsumer<String, String> consumer = Check.consumer(brokers, "group.id", group, "group.protocol", protocol,
            "isolation.level", "read_committed")) {
      consumer.subscribe(List.of(in.topic()));
      List<ConsumerRecord<String, String>> records = Check.pollFor(consumer, 20).stream()
          .filter(r -> r.partition() == 1).toList();
      Check.equal(10, records.size(), "input records");
      for (boolean commit : List.of(false, true)) {
        producer.beginTransaction();
        for (ConsumerRecord<String, String> r : records) {
          producer.send(new ProducerRecord<>(out.topic(), 0, r.key(), r.value() + (commit ? "!" : "?")));
        }
        producer.sendOffsetsToTransaction(Map.of(in, new OffsetAndMetadata(10, "map")), consumer.groupMetadata());
        if (commit) producer.commitTransaction();
        else producer.abortTransaction();
        OffsetAndMetadata now = consumer.committed(Set.of(in)).get(in);
        Check.equal(commit ? 10L : null, now == null ? null : now.offset(), "committed offset");
        if (commit) Check.equal("map", now.metadata(), "committed metadata");
      }
    }
    try (KafkaConsumer<String, String> consumer = reader("read_committed", out)) {
      List<String> values = Check.values(Check.pollFor(consumer, 10));
      Check.equal(List.of("v0!", "v1!", "v2!", "v3!", "v4!", "v5!", "v6!", "v7!", "v8!", "v9!"), values, "output");
    }
  }

  /** A second producer with the same id takes over: the first one can neither write nor commit. */
  private static void fencing(Admin admin) throws Exception {
    TopicPartition out = new TopicPartition(prefix + "-out", 1);
    KafkaProducer<String, String> zombie = transactional("-fenced");
    zombie.beginTransaction();
    zombie.send(new ProducerRecord<>(out.topic(), 1, "k", "zombie")).get();
    try (KafkaProducer<String, String> successor = transactional("-fenced")) {
      successor.beginTransaction();
      successor.send(new ProducerRecord<>(out.topic(), 1, "k", "successor"));
      Throwable refused = Check.failure(() -> {
        zombie.commitTransaction();
        return null;
      }, "a fenced producer commits");
      Check.that(refused instanceof ProducerFencedException || refused instanceof InvalidProducerEpochException,
          "fenced, not " + refused);
      successor.commitTransaction();
    }
    zombie.close();
    try (KafkaConsumer<String, String> consumer = reader("read_committed", out)) {
      Check.equal(List.of("successor"), Check.values(Check.pollFor(consumer, 1)), "what was committed");
    }
    KafkaProducer<String, String> fencedByAdmin = transactional("-admin");
    admin.fenceProducers(List.of(prefix + "-admin")).all().get();
    fencedByAdmin.beginTransaction();
    Check.failure(() -> {
      fencedByAdmin.send(new ProducerRecord<>(out.topic(), 1, "k", "late")).get();
      fencedByAdmin.commitTransaction();
      return null;
    }, "a producer that an admin fenced");
    fencedByAdmin.close();
  }

  /** A producer that vanishes does not hold readers back for ever: its transaction times out. */
  private static void openOnesAreAborted(Admin admin) throws Exception {
    TopicPartition out = new TopicPartition(prefix + "-out", 1);
    KafkaProducer<String, String> lost = transactional("-lost", "transaction.timeout.ms", "1000");
    lost.beginTransaction();
    lost.send(new ProducerRecord<>(out.topic(), 1, "k", "lost")).get();
    Check.until("aborted by time", () -> {
      var described = admin.describeTransactions(List.of(prefix + "-lost")).description(prefix + "-lost").get();
      return described.state() == TransactionState.COMPLETE_ABORT;
    });
    lost.close();
  }
}
