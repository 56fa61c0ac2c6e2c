import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** Group membership with the classic and with the `consumer` protocol: {@code Groups BROKERS PREFIX PROTOCOL}. */
public final class Groups {
  private static String brokers;
  private static String topic;
  private static String group;
  private static String protocol;

  public static void main(String[] args) throws Exception {
    brokers = args[0];
    protocol = args[2];
    topic = args[1] + "-topic";
    group = args[1] + "-group";
    try (Admin admin = Admin.create(Check.properties(brokers))) {
      admin.createTopics(List.of(new NewTopic(topic, 4, (short) 1))).all().get();
      produce(0, 40);
      sharing(admin);
      committing();
      staticMember(admin);
      morePartitions(admin);
      patterns();
    }
    System.out.println("ok");
  }

  private static KafkaConsumer<String, String> member(String groupId, String... more) {
    String[] base = {"group.id", groupId, "group.protocol", protocol};
    String[] timing = protocol.equals("classic")
        ? new String[] {"session.timeout.ms", "10000", "heartbeat.interval.ms", "200",
            "partition.assignment.strategy", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"}
        : new String[] {};
    return Check.consumer(brokers, Stream.of(base, timing, more).flatMap(Stream::of).toArray(String[]::new));
  }

  private static void produce(int from, int to) throws Exception {
    try (KafkaProducer<String, String> producer = Check.producer(brokers)) {
      for (int i = from; i < to; i++) producer.send(new ProducerRecord<>(topic, i % 4, "k" + i, "v" + i));
      producer.flush();
    }
  }

  /** Two members split four partitions; when one leaves, the other gets them all, and nothing is read twice after a commit. */
  private static void sharing(Admin admin) throws Exception {
    Set<TopicPartition> revoked = new HashSet<>();
    try (KafkaConsumer<String, String> first = member(group)) {
      first.subscribe(List.of(topic), new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
          revoked.addAll(partitions);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
      });
      Check.equal(40, Check.pollFor(first, 40).size(), "records of a lone member");
      first.commitSync();
      try (KafkaConsumer<String, String> second = member(group)) {
        second.subscribe(List.of(topic));
        Check.until("two partitions each", () -> {
          first.poll(Check.TICK);
          second.poll(Check.TICK);
          return first.assignment().size() == 2 && second.assignment().size() == 2;
        });
        Set<TopicPartition> both = new HashSet<>(first.assignment());
        both.addAll(second.assignment());
        Check.equal(4, both.size(), "partitions owned by either");
        Check.equal(2, revoked.size(), "partitions taken from the first member");
        var description = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
        Check.equal(2, description.members().size(), "members");
        Check.equal(protocol.toUpperCase(), description.type().toString().toUpperCase(), "type of the group");
      }
      Check.until("all partitions back", () -> {
        Check.equal(0, first.poll(Check.TICK).count(), "records after the commit");
        return first.assignment().size() == 4;
      });
    }
  }

  /** A commit with metadata is what the next member resumes from; seeking and time look-ups do not touch it. */
  private static void committing() throws Exception {
    String own = group + "-commits";
    TopicPartition partition = new TopicPartition(topic, 1);
    try (KafkaConsumer<String, String> consumer = member(own)) {
      consumer.subscribe(List.of(topic));
      Check.pollFor(consumer, 40);
      consumer.commitSync(Map.of(partition, new OffsetAndMetadata(5, java.util.Optional.of(0), "noted")));
      consumer.seek(partition, 2);
      Check.equal(List.of("v9", "v13"), Check.values(Check.pollFor(consumer, 2)).subList(0, 2), "after a seek");
      var found = consumer.offsetsForTimes(Map.of(partition, 0L)).get(partition);
      Check.equal(0L, found.offset(), "the first offset by time");
      Check.equal(10L, consumer.endOffsets(List.of(partition)).get(partition), "end offset");
      Check.equal(0L, consumer.beginningOffsets(List.of(partition)).get(partition), "first offset");
    }
    try (KafkaConsumer<String, String> consumer = member(own)) {
      consumer.subscribe(List.of(topic));
      Check.until("assignment", () -> {
        consumer.poll(Duration.ZERO);
        return consumer.assignment().size() == 4;
      });
      OffsetAndMetadata committed = consumer.committed(Set.of(partition)).get(partition);
      Check.equal(5L, committed.offset(), "committed offset");
      Check.equal("noted", committed.metadata(), "committed metadata");
      Check.equal(5L, consumer.position(partition), "position after a restart");
    }
  }

  /** A static member that restarts keeps its partitions: the other one is never disturbed. */
  private static void staticMember(Admin admin) throws Exception {
    String own = group + "-static";
    try (KafkaConsumer<String, String> other = member(own, "group.instance.id", "other")) {
      Set<TopicPartition> revoked = new HashSet<>();
      KafkaConsumer<String, String> restarting = member(own, "group.instance.id", "restarting");
      restarting.subscribe(List.of(topic));
      other.subscribe(List.of(topic));
      Check.until("two partitions each", () -> {
        restarting.poll(Check.TICK);
        other.poll(Check.TICK);
        return restarting.assignment().size() == 2 && other.assignment().size() == 2;
      });
      Set<TopicPartition> kept = other.assignment();
      Set<TopicPartition> before = restarting.assignment();
      restarting.close(CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.DEFAULT));
      try (KafkaConsumer<String, String> again = member(own, "group.instance.id", "restarting")) {
        again.subscribe(List.of(topic));
        Check.until("its partitions again", () -> {
          again.poll(Check.TICK);
          other.poll(Check.TICK);
          Check.equal(kept, other.assignment(), "partitions of the other member");
          return again.assignment().equals(before);
        });
      }
    }
    // Static members do not leave when they are closed; an operator removes them.
    Check.equal(2, admin.describeConsumerGroups(List.of(own)).all().get().get(own).members().size(), "members");
    admin.removeMembersFromConsumerGroup(own, new RemoveMembersFromConsumerGroupOptions(
        List.of(new MemberToRemove("other"), new MemberToRemove("restarting")))).all().get();
    Check.equal(0, admin.describeConsumerGroups(List.of(own)).all().get().get(own).members().size(), "members left");
  }

  /** Partitions that are added while members run are handed out. */
  private static void morePartitions(Admin admin) throws Exception {
    try (KafkaConsumer<String, String> consumer = member(group + "-grow", "metadata.max.age.ms", "500")) {
      consumer.subscribe(List.of(topic));
      Check.until("four partitions", () -> {
        consumer.poll(Check.TICK);
        return consumer.assignment().size() == 4;
      });
      admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(6))).all().get();
      Check.until("six partitions", () -> {
        consumer.poll(Check.TICK);
        return consumer.assignment().size() == 6;
      });
    }
  }

  /** A pattern finds topics; the `consumer` protocol has the broker evaluate it. */
  private static void patterns() throws Exception {
    try (KafkaConsumer<String, String> consumer = member(group + "-pattern", "metadata.max.age.ms", "500")) {
      if (protocol.equals("consumer")) consumer.subscribe(new SubscriptionPattern(Pattern.quote(topic).replace("\\Q", "").replace("\\E", "")));
      else consumer.subscribe(Pattern.compile(topic));
      Check.equal(40, Check.pollFor(consumer, 40).size(), "records by pattern");
    }
  }
}
