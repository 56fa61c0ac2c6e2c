import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Measures this process as the contenders in Node are measured, and prints the same line. */
final class Outcome {
  private final long startNanos = System.nanoTime();
  private final long startCpu = cpuNanos();

  private static long cpuNanos() {
    var bean = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return bean.getProcessCpuTime();
  }

  double nowMs() {
    return (System.nanoTime() - startNanos) / 1e6;
  }

  void print(Double firstMs, double lastMs, Double committedMs) throws Exception {
    double cpu = (cpuNanos() - startCpu) / 1e9;
    double rss = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) rss = Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024;
    }
    System.out.printf(Locale.ROOT,
        "%noutcome: {\"firstMs\":%s,\"lastMs\":%f,\"committedMs\":%s,\"cpuSeconds\":%f,\"peakRssMb\":%f}%n",
        firstMs, lastMs, committedMs, cpu, rss);
    System.out.flush();
  }
}
