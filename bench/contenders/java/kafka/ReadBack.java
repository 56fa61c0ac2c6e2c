import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Not a contender: reads a topic as a reader of committed records sees it, to its end, and writes down what is there. */
public final class ReadBack {
  public static void main(String[] args) throws Exception {
    var settings = Run.consumerSettings();
    settings.put("isolation.level", "read_committed");
    settings.put("enable.auto.commit", "false");
    var run = new Run();
    var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
    var partitions = new ArrayList<TopicPartition>();
    for (int n = 0; n < Run.ends.length; n++) partitions.add(new TopicPartition(Run.topic, n));
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    var ends = consumer.endOffsets(partitions);
    while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
      for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(200))) {
        run.ledger.seen(ByteBuffer.wrap(record.value()).order(ByteOrder.LITTLE_ENDIAN).getInt(0));
      }
    }
    run.finish();
  }
}
