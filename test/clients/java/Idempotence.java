import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Five requests in flight with every codec, and each record is stored once, in order: {@code Idempotence BROKERS PREFIX}. */
public final class Idempotence {
  private static final int COUNT = 2_000;

  public static void main(String[] args) throws Exception {
    String brokers = args[0];
    for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
      String topic = args[1] + "-" + codec;
      try (Admin admin = Admin.create(Check.properties(brokers))) {
        admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
      }
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      try (KafkaProducer<String, String> producer = Check.producer(brokers, "enable.idempotence", "true",
          "compression.type", codec, "batch.size", "2048", "linger.ms", "0")) {
        for (int i = 0; i < COUNT; i++) {
          sent.add(producer.send(new ProducerRecord<>(topic, i % 2, "k" + i % 7, "v" + i)));
        }
      }
      for (int i = 0; i < COUNT; i++) Check.equal((long) (i / 2), sent.get(i).get().offset(), codec + ": offset of v" + i);
      Map<Integer, List<String>> read = new HashMap<>();
      try (KafkaConsumer<String, String> consumer = Check.consumer(brokers, "check.crcs", "true")) {
        consumer.assign(List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1)));
        for (ConsumerRecord<String, String> record : Check.pollFor(consumer, COUNT)) {
          read.computeIfAbsent(record.partition(), p -> new ArrayList<>()).add(record.value());
        }
      }
      for (int p = 0; p < 2; p++) {
        Check.equal(COUNT / 2, read.get(p).size(), codec + ": records of partition " + p);
        for (int i = 0; i < COUNT / 2; i++) Check.equal("v" + (2 * i + p), read.get(p).get(i), codec + ": order");
      }
    }
    System.out.println("ok");
  }
}
