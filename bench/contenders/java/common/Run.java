import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/** What a contender on the JVM is given, as system properties; measures the process as those in Node are measured. */
final class Run {
  static final String brokers = System.getProperty("brokers");
  static final String topic = System.getProperty("topic");
  static final String group = System.getProperty("group");
  static final String order = System.getProperty("order");
  static final String until = System.getProperty("until");
  static final String output = System.getProperty("output", "");
  static final int concurrency = number("concurrency");
  static final int handlerMs = number("handlerMs");
  static final int stragglerId = number("stragglerId");
  static final int stragglerMs = number("stragglerMs");
  static final int sessionMs = number("sessionMs");
  static final int commitMs = number("commitMs");
  static final int transactionMs = number("transactionMs");
  static final int room = number("room");
  static final int[] ends = ends();

  final Ledger ledger;
  private final LongAdder waitedNanos = new LongAdder();
  private final LongAdder waits = new LongAdder();
  /** The runner has said stop. */
  final CountDownLatch told = new CountDownLatch(1);
  private final long startNanos;
  private final long startCpu;
  volatile double committedMs = -1;

  Run() throws IOException {
    ledger = new Ledger(total());
    var watch = new Thread(this::watch);
    watch.setDaemon(true);
    watch.start();
    startNanos = System.nanoTime();
    startCpu = cpuNanos();
  }

  static int number(String name) {
    return Integer.parseInt(System.getProperty(name, "0"));
  }

  static int total() {
    int sum = 0;
    for (int end : ends) sum += end;
    return sum;
  }

  private static int[] ends() {
    String[] texts = System.getProperty("ends").split(",");
    int[] numbers = new int[texts.length];
    for (int i = 0; i < texts.length; i++) numbers[i] = Integer.parseInt(texts[i]);
    return numbers;
  }

  static Properties consumerSettings() {
    var settings = new Properties();
    settings.put("bootstrap.servers", brokers);
    settings.put("group.id", group);
    settings.put("auto.offset.reset", "earliest");
    if (sessionMs > 0) {
      settings.put("session.timeout.ms", Integer.toString(sessionMs));
      settings.put("heartbeat.interval.ms", Integer.toString(sessionMs / 6));
    }
    return settings;
  }

  /** The handler: the record's number is in its value. */
  void handle(byte[] value) {
    int id = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getInt(0);
    int ms = id == stragglerId && stragglerMs > 0 ? stragglerMs : handlerMs;
    if (ms == 0) {
      ledger.seen(id);
      return;
    }
    ledger.start(id);
    try {
      long sleptFrom = System.nanoTime();
      Thread.sleep(ms);
      waitedNanos.add(System.nanoTime() - sleptFrom);
      waits.increment();
    } catch (InterruptedException error) {
      // Told to end: the record is not done.
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", error);
    }
    ledger.end(id);
  }

  double nowMs() {
    return (System.nanoTime() - startNanos) / 1e6;
  }

  /** A byte on stdin: stop. Its end: the runner is gone, and nobody wants the answer. */
  private void watch() {
    try {
      if (System.in.read() < 0) Runtime.getRuntime().halt(3);
      told.countDown();
      while (System.in.read() >= 0) continue;
    } catch (IOException error) {
      System.err.println(error);
    }
    Runtime.getRuntime().halt(3);
  }

  private static long cpuNanos() {
    var bean = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return bean.getProcessCpuTime();
  }

  /** Prints the outcome and ends the process: nothing may keep it alive. */
  void finish() throws IOException {
    double cpu = (cpuNanos() - startCpu) / 1e9;
    double rss = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) rss = Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024;
    }
    ledger.flush();
    System.out.printf(Locale.ROOT,
        "%noutcome: {\"firstMs\":%s,\"lastMs\":%s,\"committedMs\":%s,\"handlerMs\":%s,\"cpuSeconds\":%f,\"peakRssMb\":%f}%n",
        since(ledger.firstNanos), since(ledger.lastNanos), committedMs < 0 ? "null" : Double.toString(committedMs),
        waits.sum() == 0 ? "null" : String.format(Locale.ROOT, "%f", waitedNanos.sum() / 1e6 / waits.sum()), cpu, rss);
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  private String since(long nanos) {
    return nanos == 0 ? "null" : String.format(Locale.ROOT, "%f", (nanos - startNanos) / 1e6);
  }
}
