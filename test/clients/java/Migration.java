import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;

/**
 * A group moves from the classic to the `consumer` protocol and back, member by member, while records flow:
 * {@code Migration BROKERS PREFIX ASSIGNOR}. Each new member joins before the old one leaves.
 */
public final class Migration {
  private static final int PARTITIONS = 4;
  private static final String ASSIGNORS = "org.apache.kafka.clients.consumer.";
  private static final List<KafkaConsumer<String, String>> members = new ArrayList<>();
  private static final Set<String> seen = new HashSet<>();
  private static String brokers;
  private static String topic;
  private static String group;
  private static String assignor;
  private static KafkaProducer<String, String> producer;
  private static Admin admin;
  private static int sent;

  public static void main(String[] args) throws Exception {
    brokers = args[0];
    topic = args[1] + "-topic";
    group = args[1] + "-group";
    assignor = ASSIGNORS + args[2];
    producer = Check.producer(brokers, "linger.ms", "0");
    admin = Admin.create(Check.properties(brokers));
    admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
    join("classic");
    join("classic");
    settled("CLASSIC");
    for (String protocol : List.of("consumer", "classic")) {
      join(protocol);
      settled("CONSUMER");
      leave();
      settled("CONSUMER");
      join(protocol);
      settled("CONSUMER");
      leave();
      settled(protocol.toUpperCase());
    }
    for (KafkaConsumer<String, String> member : members) member.close();
    admin.close();
    producer.close();
    System.out.println("ok");
  }

  private static void join(String protocol) {
    String[] base = {"group.id", group, "group.protocol", protocol};
    String[] timing = protocol.equals("classic")
        ? new String[] {"session.timeout.ms", "10000", "heartbeat.interval.ms", "100", "partition.assignment.strategy", assignor}
        : new String[] {};
    KafkaConsumer<String, String> member = Check.consumer(brokers, Stream.of(base, timing).flatMap(Stream::of).toArray(String[]::new));
    member.subscribe(List.of(topic));
    members.add(member);
  }

  /** The oldest one goes. */
  private static void leave() {
    members.remove(0).close();
  }

  /** Everybody has partitions, every partition has one owner, and everything that was sent has been read. */
  private static void settled(String type) throws Exception {
    Check.until("the members share the partitions of a " + type + " group, " + members.size() + " members", () -> {
      for (int i = 0; i < PARTITIONS; i++) producer.send(new ProducerRecord<>(topic, i, null, "v" + sent++));
      producer.flush();
      round();
      Set<TopicPartition> owned = new HashSet<>();
      int count = 0;
      for (KafkaConsumer<String, String> member : members) {
        if (member.assignment().isEmpty()) return false;
        count += member.assignment().size();
        owned.addAll(member.assignment());
      }
      return count == PARTITIONS && owned.size() == PARTITIONS;
    });
    Check.until("all " + sent + " records", () -> {
      round();
      return seen.size() == sent;
    });
    var description = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
    Check.equal(type, description.type().toString().toUpperCase(), "type of the group");
    Check.equal(members.size(), description.members().size(), "members");
  }

  private static void round() {
    for (KafkaConsumer<String, String> member : members) {
      var records = member.poll(Check.TICK.dividedBy(4));
      records.forEach(record -> seen.add(record.value()));
      try {
        member.commitSync();
      } catch (RebalanceInProgressException | CommitFailedException e) {
        // The records that are not committed are read again by whoever has them next.
      }
    }
  }
}
