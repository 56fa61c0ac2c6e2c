import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Writes down what handlers do: one word for each start and end, in the order in which they happened, with the time where that is
 * asked for. Many threads write; a place in the arrays is taken before a handler starts and after it has ended.
 */
final class Ledger {
  private static final int END = 0x80000000;
  private final String file = System.getProperty("events");
  private final boolean timed = "timed".equals(System.getProperty("eventsKind"));
  private final boolean once = "seen".equals(System.getProperty("eventsKind"));
  private final FileChannel durable;
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger left;
  private final AtomicIntegerArray ended;
  private final int[] words;
  private final long[] times;
  final CountDownLatch all = new CountDownLatch(1);
  volatile long firstNanos;
  volatile long lastNanos;

  Ledger(int records) throws IOException {
    boolean survives = Boolean.getBoolean("eventsDurable");
    durable = survives
        ? FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND)
        : null;
    // Twice what is expected: records that come again have room as well.
    int capacity = survives ? 0 : records * (once ? 2 : 4) + 1024;
    words = new int[capacity];
    times = new long[timed ? capacity : 0];
    left = new AtomicInteger(records);
    ended = new AtomicIntegerArray(records);
  }

  void start(int id) {
    if (firstNanos == 0) firstNanos = System.nanoTime();
    write(id);
  }

  void end(int id) {
    write(id | END);
    finish(id);
  }

  void seen(int id) {
    if (firstNanos == 0) firstNanos = System.nanoTime();
    write(id);
    if (!once) write(id | END);
    finish(id);
  }

  private void finish(int id) {
    if (!ended.compareAndSet(id, 0, 1) || left.decrementAndGet() > 0) return;
    lastNanos = System.nanoTime();
    all.countDown();
  }

  private void write(int word) {
    if (durable == null) {
      int at = count.getAndIncrement();
      words[at] = word;
      if (timed) times[at] = System.nanoTime();
      return;
    }
    try {
      synchronized (durable) {
        durable.write(encode(word, System.nanoTime()));
      }
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  private ByteBuffer encode(int word, long nanos) {
    var bytes = ByteBuffer.allocate(timed ? 12 : 4).order(ByteOrder.LITTLE_ENDIAN).putInt(word);
    if (timed) bytes.putDouble(nanos);
    return bytes.flip();
  }

  void flush() throws IOException {
    if (durable != null) return;
    var bytes = ByteBuffer.allocate(count.get() * (timed ? 12 : 4)).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < count.get(); at++) {
      bytes.putInt(words[at]);
      if (timed) bytes.putDouble(times[at]);
    }
    bytes.flip();
    try (var channel = FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (bytes.hasRemaining()) channel.write(bytes);
    }
  }
}
