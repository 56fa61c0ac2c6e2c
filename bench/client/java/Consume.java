import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A bare loop around poll() with automatic commits and one by hand at the end. Arguments: brokers topic group ends. */
public final class Consume {
  public static void main(String[] args) throws Exception {
    String[] ends = args[3].split(",");
    byte[][] seen = new byte[ends.length][];
    long left = 0;
    for (int i = 0; i < ends.length; i++) {
      seen[i] = new byte[Integer.parseInt(ends[i])];
      left += seen[i].length;
    }
    var settings = new Properties();
    settings.put("bootstrap.servers", args[0]);
    settings.put("group.id", args[2]);
    settings.put("auto.offset.reset", "earliest");
    var outcome = new Outcome();
    double firstMs = -1;
    var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    consumer.subscribe(List.of(args[1]));
    long keyBytes = 0;
    while (left > 0) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
        if (firstMs < 0) firstMs = outcome.nowMs();
        byte[] partition = seen[record.partition()];
        int offset = (int) record.offset();
        if (partition[offset] == 1) throw new IllegalStateException(record.partition() + ":" + offset + " came twice");
        partition[offset] = 1;
        keyBytes += record.key().length;
        left--;
      }
    }
    double lastMs = outcome.nowMs();
    consumer.commitSync();
    double committedMs = outcome.nowMs();
    if (keyBytes == 0) throw new IllegalStateException("no record had a key");
    outcome.print(firstMs, lastMs, committedMs);
    Runtime.getRuntime().halt(0);
  }
}
