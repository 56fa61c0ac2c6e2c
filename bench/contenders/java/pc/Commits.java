import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Hears when the broker has acknowledged a commit. */
public final class Commits implements ConsumerInterceptor<Object, Object> {
  static final CountDownLatch reached = new CountDownLatch(1);
  static volatile Run run;
  private static final Map<TopicPartition, Long> committed = new ConcurrentHashMap<>();

  @Override
  public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
    return records;
  }

  @Override
  public synchronized void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
    offsets.forEach((partition, offset) -> committed.put(partition, offset.offset()));
    for (int partition = 0; partition < Run.ends.length; partition++) {
      Long position = committed.get(new TopicPartition(Run.topic, partition));
      if (Run.ends[partition] > 0 && (position == null || position < Run.ends[partition])) return;
    }
    if (run.committedMs < 0) run.committedMs = run.nowMs();
    reached.countDown();
  }

  @Override
  public void close() {}

  @Override
  public void configure(Map<String, ?> settings) {}
}
