// A client, of which the fault tests need many: takes a lock, reads the counter that it guards,
// works a little, writes one more, and lets go; whatever happens to its daemon. What it saw goes
// into its history, for `hapax audit`. Until SIGTERM; then it ends what it is doing, a wait
// included.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "faults/counter.h"
#include "faults/file_user.h"
#include "faults/notes.h"
#include "hapax/client.h"
#include "hapax/mutex.h"

namespace hapax::faults {
namespace {

using std::chrono::milliseconds;

std::atomic<bool> is_asked_to_end{false};

struct Options {
  std::string address, name, folder, history;
  std::vector<std::string> locks;
  int member = 0;
  unsigned work_ms = 3;   // Between reading and writing; half of it to one and a half.
  unsigned rest_ms = 10;  // Between two entries, likewise.
  unsigned late_ms = 0;  // Sleep so much longer before writing, and write even if the lock is lost.
  bool is_careless = false;
  bool has_gate = true;
  unsigned files = 0;  // That are used as well, through any of these daemons:
  std::string file_addresses;
  std::uint64_t seed = 1;
};

class Worker {
 public:
  explicit Worker(const Options& options)
      : options_(options),
        notes_(options.history, options.name, options.member),
        random_(options.seed) {
    for (const std::string& lock : options.locks) {
      counters_.push_back(std::make_unique<Counter>(options.folder, lock, options.has_gate));
    }
  }

  void run() {
    while (!is_asked_to_end) {
      try {
        if (!client_ || client_->lost().stop_requested()) connect();
        // As often as not the same again: then it may have stayed here.
        if (random_.below(2) == 0) which_ = random_.below(options_.locks.size());
        enter_and_leave(which_);
        sleep_about(options_.rest_ms);
      } catch (const std::system_error& e) {
        if (e.code().category() != error_category()) throw;  // Ours: the history, the counter.
        mutexes_.clear();
        client_.reset();
        std::this_thread::sleep_for(milliseconds{50});
      }
    }
    notes_.note({.op = "end", .call = now(), .ret = now()});
  }

 private:
  void connect() {
    mutexes_.clear();
    client_.emplace(options_.address);
    for (const std::string& lock : options_.locks) {
      mutexes_.push_back(std::make_unique<Mutex>(*client_, lock));
    }
  }

  void enter_and_leave(std::size_t which) {
    const std::string& lock = options_.locks[which];
    Mutex& mutex = *mutexes_[which];
    if (const auto error = acquire(mutex)) throw std::system_error{error, lock};
    const Fence fence = mutex.fence();
    const std::stop_token lost = mutex.lost();
    {
      const auto note_loss = [&] {
        notes_.note({.op = "lost", .lock = lock, .call = now(), .ret = now(), .fence = fence});
      };
      const std::stop_callback told{lost, note_loss};
      add_one(mutex, lost, *counters_[which], fence);
    }
    const Nanos call = now();
    mutex.unlock();
    notes_.note({.op = "release", .lock = lock, .call = call, .ret = now(), .fence = fence});
  }

  std::error_code acquire(Mutex& mutex) {
    const Nanos call = now();
    notes_.note({.op = "acquire", .lock = mutex.name(), .call = call});
    const auto forever = std::chrono::steady_clock::now() + std::chrono::hours{24};
    const std::error_code error = mutex.acquire_until(forever, {});
    const Nanos ret = now();
    Notes::Line line{.op = "acquire", .lock = mutex.name(), .call = call, .ret = ret, .ok = !error};
    if (!error) {
      line.valid_until = valid_until(mutex, ret);
      line.looked = now();
      line.fence = mutex.fence();
    }
    notes_.note(line);
    return error;
  }

  void add_one(const Mutex& mutex, const std::stop_token& lost, Counter& counter, Fence fence) {
    const Nanos reading = now();
    const std::optional<std::int64_t> value = counter.read(fence);
    const Nanos read = now();
    notes_.note({.op = "read",
                 .lock = mutex.name(),
                 .call = reading,
                 .ret = read,
                 .ok = value.has_value(),
                 .fence = fence,
                 .valid_until = valid_until(mutex, read),
                 .value = value});
    if (!value) return;
    sleep_about(options_.work_ms);
    std::this_thread::sleep_for(milliseconds{options_.late_ms});
    if (!options_.is_careless && lost.stop_requested()) return;
    const Nanos writing = now();
    // Noted before as well: a worker that is killed meanwhile may have written.
    notes_.note({.op = "write",
                 .lock = mutex.name(),
                 .call = writing,
                 .fence = fence,
                 .value = *value + 1});
    const bool is_written = counter.write(fence, *value + 1);
    notes_.note({.op = "write",
                 .lock = mutex.name(),
                 .call = writing,
                 .ret = now(),
                 .ok = is_written,
                 .fence = fence,
                 .value = *value + 1});
  }

  // As of `ret`, which was before: never later than what the library means, and not later than
  // `ret` if it means that nothing is valid.
  static Nanos valid_until(const Mutex& mutex, Nanos ret) {
    return ret + std::chrono::nanoseconds{mutex.valid_for()}.count();
  }
  void sleep_about(unsigned about_ms) {
    if (about_ms == 0) return;
    const auto us = about_ms * 500 + random_.below(about_ms * 1'000);
    std::this_thread::sleep_for(std::chrono::microseconds{us});
  }

  const Options options_;
  Notes notes_;
  Prng random_;
  std::vector<std::unique_ptr<Counter>> counters_;  // By lock.
  std::optional<Client> client_;
  std::vector<std::unique_ptr<Mutex>> mutexes_;  // Of that client, one a lock.
  std::size_t which_ = 0;                        // Was used last.
};

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"A client for fault tests: adds to counters under locks until SIGTERM"};
  app.add_option("--address", options.address, "The daemon")->required();
  app.add_option("--name", options.name, "Of this client, in its history")->required();
  app.add_option("--member", options.member, "Of the daemon, for the history");
  app.add_option("--locks", options.locks, "Names, with commas")->delimiter(',')->required();
  app.add_option("--dir", options.folder, "Where the counters and their gates are")->required();
  app.add_option("--history", options.history, "The file to append to")->required();
  app.add_option("--work", options.work_ms, "Milliseconds between reading and writing, about");
  app.add_option("--rest", options.rest_ms, "Milliseconds between two entries, about");
  app.add_option("--late", options.late_ms, "Milliseconds more before writing, lost or not");
  app.add_flag("--careless", options.is_careless, "Write even if told that the lock is lost");
  app.add_flag("!--no-gate", options.has_gate, "Read and write without asking a gate");
  app.add_option("--files", options.files, "Also read and write so many files …");
  app.add_option("--file-addresses", options.file_addresses, "… through these daemons");
  app.add_option("--seed", options.seed, "Of what is drawn");
  CLI11_PARSE(app, argc, argv);
  if (options.late_ms > 0) options.is_careless = true;
  std::signal(SIGTERM, [](int) { is_asked_to_end = true; });
  std::optional<FileUser> files;
  std::jthread using_files;
  if (options.files > 0) {
    files.emplace(options.file_addresses, options.name + "-files", options.history + ".files.jsonl",
                  options.files, options.seed);
    using_files = std::jthread{[&] { files->run(is_asked_to_end); }};
  }
  Worker{options}.run();
  return 0;
}

}  // namespace
}  // namespace hapax::faults

int main(int argc, char** argv) {
  try {
    return hapax::faults::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "worker: %s\n", e.what());
    return 1;
  }
}
