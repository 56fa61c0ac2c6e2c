import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** What the programs here share: assertions that end the program with a message, waiting with a deadline, clients. */
final class Check {
  static final Duration TICK = Duration.ofMillis(100);
  private static final long DEADLINE_MS = 30_000;

  private Check() {}

  static void that(boolean condition, String message) {
    if (!condition) throw new AssertionError(message);
  }

  static void equal(Object expected, Object actual, String what) {
    that(Objects.equals(expected, actual), what + ": expected " + expected + ", got " + actual);
  }

  /** The cause of a failed future, or the failure itself: admin calls wrap what the broker said. */
  static Throwable failure(Callable<?> action, String what) {
    try {
      action.call();
    } catch (Exception e) {
      return e instanceof java.util.concurrent.ExecutionException ? e.getCause() : e;
    }
    throw new AssertionError(what + ": expected a failure");
  }

  static void fails(Class<? extends Throwable> type, Callable<?> action, String what) {
    Throwable cause = failure(action, what);
    that(type.isInstance(cause), what + ": expected " + type.getSimpleName() + ", got " + cause);
  }

  static void until(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + DEADLINE_MS * 1_000_000;
    while (!condition.call()) {
      that(System.nanoTime() < end, "not within " + DEADLINE_MS + " ms: " + what);
      Thread.sleep(20);
    }
  }

  static List<ConsumerRecord<String, String>> pollFor(KafkaConsumer<String, String> consumer, int count)
      throws Exception {
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    until(count + " records", () -> {
      consumer.poll(TICK).forEach(records::add);
      return records.size() >= count;
    });
    return records;
  }

  static List<String> values(List<ConsumerRecord<String, String>> records) {
    return records.stream().map(ConsumerRecord::value).toList();
  }

  static KafkaProducer<String, String> producer(String brokers, String... settings) {
    Properties p = properties(brokers, settings);
    return new KafkaProducer<>(p, new StringSerializer(), new StringSerializer());
  }

  static KafkaConsumer<String, String> consumer(String brokers, String... settings) {
    Properties p = properties(brokers, settings);
    p.putIfAbsent("auto.offset.reset", "earliest");
    p.putIfAbsent("enable.auto.commit", "false");
    return new KafkaConsumer<>(p, new StringDeserializer(), new StringDeserializer());
  }

  /** Names and values in turn. */
  static Properties properties(String brokers, String... settings) {
    Properties p = new Properties();
    p.put("bootstrap.servers", brokers);
    for (int i = 0; i < settings.length; i += 2) p.put(settings[i], settings[i + 1]);
    return p;
  }
}
