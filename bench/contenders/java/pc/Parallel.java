import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelEoSStreamProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Confluent Parallel Consumer. Commits go out as often as those of the others; all else is its default. */
public final class Parallel {
  public static void main(String[] args) throws Exception {
    boolean isCopy = !Run.output.isEmpty();
    var settings = Run.consumerSettings();
    settings.put("enable.auto.commit", "false");
    settings.put("interceptor.classes", Commits.class.getName());
    if (isCopy) settings.put("isolation.level", "read_committed");
    var run = new Run();
    Commits.run = run;
    var order = Run.order.equals("none") ? "UNORDERED" : Run.order.toUpperCase(Locale.ROOT);
    var options = ParallelConsumerOptions.<String, byte[]>builder()
        .consumer(new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer()))
        .ordering(ProcessingOrder.valueOf(order))
        .maxConcurrency(Run.concurrency)
        .commitInterval(Duration.ofMillis(isCopy ? Run.transactionMs : Run.commitMs));
    if (Run.room > 0) options.messageBufferSize(Run.room);
    if (isCopy) {
      var producerSettings = new Properties();
      producerSettings.put("bootstrap.servers", Run.brokers);
      producerSettings.put("transactional.id", Run.group);
      options.producer(new KafkaProducer<>(producerSettings, new StringSerializer(), new ByteArraySerializer()))
          .commitMode(CommitMode.PERIODIC_TRANSACTIONAL_PRODUCER);
    }
    var consumer = new ParallelEoSStreamProcessor<>(options.build());
    consumer.subscribe(List.of(Run.topic));
    if (isCopy) {
      consumer.pollAndProduce(context -> {
        var record = context.getSingleConsumerRecord();
        run.handle(record.value());
        return new ProducerRecord<>(Run.output, record.key(), record.value());
      });
    } else {
      consumer.poll(context -> run.handle(context.getSingleConsumerRecord().value()));
    }
    var latch = Run.until.equals("told") ? run.told : isCopy ? run.ledger.all : Commits.reached;
    while (!latch.await(100, TimeUnit.MILLISECONDS)) {
      if (consumer.isClosedOrFailed()) {
        System.err.println("it has failed: " + consumer.getFailureCause());
        Runtime.getRuntime().halt(1);
      }
    }
    if (Run.until.equals("told")) consumer.closeDrainFirst();
    if (isCopy) {
      // Offsets go with its transactions, past the interceptor: it says nothing, so the end of the last one is waited for.
      consumer.closeDrainFirst();
      run.committedMs = run.nowMs();
    }
    run.finish();
  }
}
