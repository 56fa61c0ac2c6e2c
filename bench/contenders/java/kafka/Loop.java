import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A bare loop around poll() with automatic commits and one by hand at the end: one record at a time. */
public final class Loop {
  public static void main(String[] args) throws Exception {
    var settings = Run.consumerSettings();
    settings.put("auto.commit.interval.ms", Integer.toString(Run.commitMs));
    var run = new Run();
    var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
    consumer.subscribe(List.of(Run.topic));
    while (run.ledger.all.getCount() > 0) {
      for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofSeconds(1))) run.handle(record.value());
    }
    if (Run.until.equals("committed")) {
      consumer.commitSync();
      run.committedMs = run.nowMs();
    }
    run.finish();
  }
}
