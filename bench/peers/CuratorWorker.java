// Curator's own InterProcessMutex by ZooKeeper's own client, as a client of `hapax bench` (bench/worker.cc says how they talk).
//
//   java CuratorWorker HOSTS NAME SECONDS [SHARED]
//   java CuratorWorker HOSTS NAME hold
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

public class CuratorWorker {
  // Times in nanoseconds.
  static class Sample {
    private long[] values = new long[1 << 16];
    private int count = 0;

    void note(long value) {
      if (count == values.length) values = Arrays.copyOf(values, 2 * count);
      values[count++] = value;
    }

    double microseconds(double share) {
      if (count == 0) return 0;
      long[] sorted = Arrays.copyOf(values, count);
      Arrays.sort(sorted);
      return sorted[(int) (share * (count - 1))] / 1e3;
    }
  }

  public static void main(String[] words) throws Exception {
    boolean holds = words[2].equals("hold");
    int session = holds ? 1000 : 10000; // As short as the others': ZooKeeper makes of it what it allows.
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(words[0], session, 5000, new ExponentialBackoffRetry(100, 10));
    client.start();
    client.blockUntilConnected();
    InterProcessMutex mutex = new InterProcessMutex(client, "/" + words[1]);
    BufferedReader told = new BufferedReader(new InputStreamReader(System.in));
    if (holds) {
      System.out.println("ready");
      told.readLine();
      mutex.acquire();
      System.out.println("{\"entered_ns\": " + System.nanoTime() + "}"); // CLOCK_MONOTONIC, as the others'.
      told.readLine();
      Runtime.getRuntime().halt(0);
    }
    MappedByteBuffer shared = null; // When the last one released, and who it was.
    if (words.length > 3) {
      try (FileChannel file = FileChannel.open(Path.of(words[3]), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        shared = file.map(FileChannel.MapMode.READ_WRITE, 0, 16);
        shared.order(ByteOrder.LITTLE_ENDIAN);
      }
    }
    for (int i = 0; i < 50; ++i) { // Until it is compiled, as far as that goes.
      mutex.acquire();
      mutex.release();
    }
    System.out.println("ready");
    told.readLine();
    measure(mutex, Double.parseDouble(words[2]), shared);
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  static void measure(InterProcessMutex mutex, double seconds, MappedByteBuffer shared) throws Exception {
    long self = ProcessHandle.current().pid();
    long begun = System.nanoTime();
    long end = begun + (long) (seconds * 1e9);
    Sample waits = new Sample();
    Sample handOffs = new Sample();
    int entries = 0;
    for (long asked = begun; asked < end; asked = System.nanoTime(), ++entries) {
      mutex.acquire();
      long inside = System.nanoTime();
      waits.note(inside - asked);
      if (shared != null) {
        long by = shared.getLong(8);
        if (by != 0 && by != self) handOffs.note(inside - shared.getLong(0));
        shared.putLong(8, self);
        shared.putLong(0, System.nanoTime());
      }
      mutex.release();
    }
    System.out.println(String.format(Locale.ROOT,
        "{\"entries\": %d, \"seconds\": %.4f, \"p50_us\": %.4f, \"p99_us\": %.4f, \"hand_off_p50_us\": %.2f, \"hand_off_p99_us\": %.2f}",
        entries, (System.nanoTime() - begun) / 1e9, waits.microseconds(0.5), waits.microseconds(0.99),
        handOffs.microseconds(0.5), handOffs.microseconds(0.99)));
  }
}
