import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Share groups (KIP-932): no order. Four consumers, each hands the records of a poll to its threads and acknowledges them all when
 * they are done. A share group has no committed offset to wait for: its time ends when every acknowledgement was answered.
 */
public final class Share {
  private static final int CONSUMERS = 4;

  public static void main(String[] args) throws Exception {
    try (var admin = Admin.create(Map.of("bootstrap.servers", Run.brokers))) {
      var group = new ConfigResource(ConfigResource.Type.GROUP, Run.group);
      var earliest = new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
      admin.incrementalAlterConfigs(Map.of(group, List.of(earliest))).all().get();
    }
    var run = new Run();
    var threads = new ArrayList<Thread>();
    for (int n = 0; n < CONSUMERS; n++) {
      var thread = new Thread(() -> consume(run));
      thread.start();
      threads.add(thread);
    }
    for (var thread : threads) thread.join();
    if (run.ledger.all.getCount() > 0) throw new IllegalStateException("a consumer has ended before the end");
    run.committedMs = run.nowMs();
    run.finish();
  }

  private static void consume(Run run) {
    int share = Math.max(1, Run.concurrency / CONSUMERS);
    var settings = Run.consumerSettings();
    settings.remove("auto.offset.reset");
    settings.put("max.poll.records", Integer.toString(Math.max(500, share * 4)));
    ExecutorService pool = Executors.newFixedThreadPool(share);
    try (var consumer = new KafkaShareConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(Run.topic));
      while (run.ledger.all.getCount() > 0) {
        var futures = new ArrayList<Future<?>>();
        for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          futures.add(pool.submit(() -> run.handle(record.value())));
        }
        for (Future<?> future : futures) future.get();
        // Everything that was polled is accepted.
        if (!futures.isEmpty()) consumer.commitSync();
      }
    } catch (Exception error) {
      error.printStackTrace();
      Runtime.getRuntime().halt(1);
    } finally {
      pool.shutdownNow();
    }
  }
}
