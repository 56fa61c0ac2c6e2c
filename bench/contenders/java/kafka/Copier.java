import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Copies a topic exactly once, as Kafka's own TransactionalMessageCopier does (that one is in its system tests and in no published
 * jar): poll, send, offsets into the transaction, commit. A transaction takes in what was polled for so many milliseconds.
 */
public final class Copier {
  public static void main(String[] args) throws Exception {
    var settings = Run.consumerSettings();
    settings.put("enable.auto.commit", "false");
    settings.put("isolation.level", "read_committed");
    var producerSettings = new Properties();
    producerSettings.put("bootstrap.servers", Run.brokers);
    producerSettings.put("transactional.id", Run.group);
    var run = new Run();
    var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
    var producer = new KafkaProducer<>(producerSettings, new StringSerializer(), new ByteArraySerializer());
    producer.initTransactions();
    consumer.subscribe(List.of(Run.topic));
    while (run.ledger.all.getCount() > 0) {
      var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
      long endNanos = 0;
      do {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(10))) {
          if (endNanos == 0) {
            endNanos = System.nanoTime() + Run.transactionMs * 1_000_000L;
            producer.beginTransaction();
          }
          producer.send(new ProducerRecord<>(Run.output, record.key(), record.value()));
          run.handle(record.value());
          offsets.put(new TopicPartition(record.topic(), record.partition()), new OffsetAndMetadata(record.offset() + 1));
        }
      } while (run.ledger.all.getCount() > 0 && (endNanos == 0 || System.nanoTime() < endNanos));
      if (endNanos == 0) continue;
      producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
      producer.commitTransaction();
    }
    run.committedMs = run.nowMs();
    run.finish();
  }
}
