import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends without waiting, idempotent, acknowledged by all; keys come equally often, the number of a record is in its value. */
public final class Produce {
  public static void main(String[] args) throws Exception {
    int records = Run.total();
    int valueBytes = Run.number("valueBytes");
    byte[][] keys = new byte[Run.number("keys")][];
    for (int n = 0; n < keys.length; n++) keys[n] = String.format("key-%06d", n).getBytes();
    var settings = new Properties();
    settings.put("bootstrap.servers", Run.brokers);
    settings.put("acks", "all");
    settings.put("enable.idempotence", "true");
    var run = new Run();
    var acknowledged = new AtomicLong();
    var failure = new AtomicReference<Exception>();
    var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    for (int n = 0; n < records; n++) {
      byte[] value = new byte[valueBytes];
      Arrays.fill(value, 4, valueBytes, (byte) 'x');
      ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).putInt(0, n);
      producer.send(new ProducerRecord<>(Run.topic, keys[(int) ((long) n * 7919 % keys.length)], value), (metadata, error) -> {
        if (error != null) failure.set(error);
        else acknowledged.incrementAndGet();
      });
    }
    producer.flush();
    if (failure.get() != null) throw failure.get();
    if (acknowledged.get() != records) throw new IllegalStateException(acknowledged.get() + " acknowledged");
    run.committedMs = run.nowMs();
    run.finish();
  }
}
