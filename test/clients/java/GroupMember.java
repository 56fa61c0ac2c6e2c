import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Members of groups that others share: {@code GroupMember BROKERS}, then one order a line, its fields apart by tabs:
 * {@code join NAME GROUP TOPIC LEDGER [setting=value …]} and {@code leave NAME}. A member writes a line to the ledger before and
 * after each record, commits behind every poll, and waits for the commit when partitions go. What it holds, and that it has left, is printed.
 */
public final class GroupMember implements Runnable {
  private static final Duration TICK = Duration.ofMillis(50);
  private static final Map<String, GroupMember> members = new ConcurrentHashMap<>();
  private final String name;
  private final String ledger;
  private final String topic;
  private final KafkaConsumer<String, String> consumer;
  private String said = "";

  public static void main(String[] args) throws Exception {
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      String[] order = line.split("\t");
      if (order[0].equals("leave")) {
        members.remove(order[1]).consumer.wakeup();
        continue;
      }
      GroupMember member = new GroupMember(args[0], order);
      members.put(order[1], member);
      Thread thread = new Thread(member, order[1]);
      thread.setDaemon(true);
      thread.start();
    }
  }

  private GroupMember(String brokers, String[] order) {
    name = order[1];
    topic = order[3];
    ledger = order[4];
    Properties settings = Check.properties(brokers);
    settings.put("group.id", order[2]);
    settings.put("enable.auto.commit", "false");
    settings.put("auto.offset.reset", "earliest");
    for (int i = 5; i < order.length; i++) {
      String[] setting = order[i].split("=", 2);
      settings.put(setting[0], setting[1]);
    }
    consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
  }

  @Override
  public void run() {
    try (OutputStream out = new FileOutputStream(ledger, true)) {
      consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
          consumer.commitSync();
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
          tell("lost", "");
        }
      });
      read(out);
    } catch (Exception error) {
      tell("failed", String.valueOf(error).replace('\n', ' '));
    }
  }

  private void read(OutputStream out) throws IOException {
    try {
      while (true) {
        var records = consumer.poll(TICK);
        for (ConsumerRecord<String, String> each : records) {
          out.write(entry("start", each));
          out.write(entry("end", each));
        }
        if (!records.isEmpty()) consumer.commitAsync();
        tellHeld();
      }
    } catch (WakeupException asked) {
      // Closing gives the partitions up, and so commits.
      consumer.close();
      tell("left", "");
    }
  }

  private byte[] entry(String kind, ConsumerRecord<String, String> record) {
    return String.format(
            "{\"kind\":\"%s\",\"member\":\"%s\",\"topic\":\"%s\",\"partition\":%d,\"offset\":%d,\"key\":\"%s\",\"value\":\"%s\",\"atNs\":\"%d\"}\n",
            kind, name, record.topic(), record.partition(), record.offset(), record.key(), record.value(), System.nanoTime())
        .getBytes(StandardCharsets.UTF_8);
  }

  private void tellHeld() {
    String held = consumer.assignment().stream().map(TopicPartition::toString).sorted().collect(Collectors.joining(","));
    if (held.equals(said)) return;
    said = held;
    tell("holds", held);
  }

  private void tell(String what, String more) {
    synchronized (System.out) {
      System.out.println(what + "\t" + name + "\t" + more);
      System.out.flush();
    }
  }
}
