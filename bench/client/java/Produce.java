import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends without waiting, idempotent, acknowledged by all. Arguments: brokers topic records valueBytes keys. */
public final class Produce {
  public static void main(String[] args) throws Exception {
    String topic = args[1];
    int records = Integer.parseInt(args[2]);
    int valueBytes = Integer.parseInt(args[3]);
    byte[][] keys = new byte[Integer.parseInt(args[4])][];
    for (int n = 0; n < keys.length; n++) keys[n] = String.format("key-%06d", n).getBytes();
    var settings = new Properties();
    settings.put("bootstrap.servers", args[0]);
    settings.put("acks", "all");
    settings.put("enable.idempotence", "true");
    var outcome = new Outcome();
    var acknowledged = new AtomicLong();
    var failure = new AtomicReference<Exception>();
    try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int n = 0; n < records; n++) {
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, 4, valueBytes, (byte) 'x');
        ByteBuffer.wrap(value).putInt(0, n);
        byte[] key = keys[(int) ((long) n * 7919 % keys.length)];
        producer.send(new ProducerRecord<>(topic, key, value), (metadata, error) -> {
          if (error != null) failure.set(error);
          else acknowledged.incrementAndGet();
        });
      }
      producer.flush();
      double lastMs = outcome.nowMs();
      if (failure.get() != null) throw failure.get();
      if (acknowledged.get() != records) throw new IllegalStateException(acknowledged.get() + " acknowledged");
      outcome.print(null, lastMs, null);
    }
    Runtime.getRuntime().halt(0);
  }
}
