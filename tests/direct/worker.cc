// One of many that take a lock on an engine directly, again and again, and note when: for
// tests/direct/run.
//
//   hapax_direct_worker ADDRESS NAME ENTRIES LOG ID TTL_MS
//
// Goes on after that while there is a file LOG.more, and stays inside, unless it loses the lock,
// while there is one LOG.hold.ID.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "hapax/hapax.h"

namespace {

// In one write, which nobody else's comes between. The clock is the one that Python's
// time.monotonic_ns() reads.
void note(int log, const std::string& id, const char* what, const hapax::Fence& fence) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::string line =
      fmt::format("{} {} {} {}\n", id, what, now.tv_sec * 1'000'000'000L + now.tv_nsec,
                  hapax::to_string(fence));
  if (write(log, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
}

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const int log = open(argv[4], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string id = argv[5];
  const std::string more = fmt::format("{}.more", argv[4]);
  const std::string hold = fmt::format("{}.hold.{}", argv[4], id);
  for (int left = std::atoi(argv[3]); left > 0 || is_there(more);) {
    try {
      hapax::ClientOptions options;
      options.addresses = {argv[1]};
      options.engine_ttl = std::chrono::milliseconds{std::atoi(argv[6])};
      hapax::Client client{options};
      for (hapax::Mutex mutex{client, argv[2]}; left > 0 || is_there(more); --left) {
        mutex.lock();
        note(log, id, "enter", mutex.fence());
        const auto is_lost = [&] { return mutex.lost().stop_requested(); };
        do {
          std::this_thread::sleep_for(std::chrono::milliseconds{3});
        } while (is_there(hold) && !is_lost());
        note(log, id, is_lost() ? "lost" : "leave", mutex.fence());
        mutex.unlock();
      }
    } catch (const std::system_error& e) {  // The engine changes its leader, say.
      fmt::print(stderr, "{}: {}\n", id, e.what());
    }
  }
  return 0;
}
