// What bench/engines measures of hapax; prints a line of JSON.
//
//   engines_bench locks ADDRESS CLIENTS SECONDS NAME   one: its own lock, again and again; more:
//   all on one engines_bench reads ADDRESS SECONDS PATH [fresh]   a file of 100 bytes, read by one
//   client engines_bench news ADDRESS CLIENTS WRITES PATH     from a write to the last client that
//   has heard of it
//
// ADDRESS is as hapax::Client takes it; of `news` several, with spaces between them, whose clients
// are spread over them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "hapax/hapax.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;

double us_since(Clock::time_point begun) {
  return duration<double, std::micro>(Clock::now() - begun).count();
}

// Of sorted ones.
double at_share(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void print(std::vector<double> times, double took_s, const std::vector<int>& by_client) {
  if (times.empty()) throw std::runtime_error{"nothing was measured"};
  std::sort(times.begin(), times.end());
  fmt::print(
      R"({{"entries": {}, "per_second": {:.1f}, "by_client": [{}], "p50_us": {:.1f}, "p99_us": {:.1f}}})"
      "\n",
      times.size(), static_cast<double>(times.size()) / took_s, fmt::join(by_client, ", "),
      at_share(times, 0.5), at_share(times, 0.99));
}

void locks(const std::string& address, int clients, double seconds, const std::string& name) {
  std::vector<double> waits;
  std::vector<int> entries(static_cast<std::size_t>(clients));
  std::mutex mutex;
  std::latch all_there{clients + 1};
  std::vector<std::jthread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      hapax::Client client{address};
      hapax::Mutex lock{client, name};
      std::vector<double> own;
      all_there.arrive_and_wait();
      const auto end = Clock::now() + duration<double>(seconds);
      while (Clock::now() < end) {
        const auto asked = Clock::now();
        lock.lock();
        own.push_back(us_since(asked));
        ++entries[static_cast<std::size_t>(i)];
        lock.unlock();
      }
      const std::lock_guard guard{mutex};
      waits.insert(waits.end(), own.begin(), own.end());
    });
  }
  all_there.arrive_and_wait();
  const auto begun = Clock::now();
  threads.clear();
  print(std::move(waits), us_since(begun) / 1e6, entries);
}

void reads(const std::string& address, double seconds, const std::string& path, bool fresh) {
  hapax::Client client{address};
  hapax::File file{client, path};
  file.write(std::string(100, 'x'));
  const auto freshness = fresh ? hapax::Freshness::fresh : hapax::Freshness::cached;
  // Until the cache has it.
  for (int i = 0; i < 100; ++i) (void)file.read(freshness);
  std::vector<double> times;
  const auto begun = Clock::now();
  const auto end = begun + duration<double>(seconds);
  while (Clock::now() < end) {
    const auto asked = Clock::now();
    if (!file.read(freshness)) throw std::runtime_error{"the file is gone"};
    times.push_back(us_since(asked));
  }
  print(std::move(times), us_since(begun) / 1e6, {});
}

void news(const std::string& addresses, int clients, int writes, const std::string& path) {
  std::vector<std::string> each;
  std::istringstream words{addresses};
  for (std::string word; words >> word;) each.push_back(word);
  hapax::Client writer{each.at(0)};
  hapax::File file{writer, path};
  file.write("0");
  std::atomic<int> heard{0};
  std::atomic<bool> is_over{false};
  std::latch all_there{clients + 1};
  std::vector<std::jthread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      hapax::Client client{each[static_cast<std::size_t>(i) % each.size()]};
      hapax::Events events{client, path, hapax::Events::About::files};
      (void)events.next();  // It has begun.
      all_there.count_down();
      std::uint64_t last = 0;
      while (!is_over) {
        const auto event = events.next_until(Clock::now() + std::chrono::seconds{1});
        if (!event || event->version <= last) continue;
        last = event->version;
        ++heard;
      }
    });
  }
  all_there.arrive_and_wait();
  std::vector<double> times;
  const auto begun = Clock::now();
  for (int i = 0; i < writes; ++i) {
    heard = 0;
    const auto asked = Clock::now();
    file.write(fmt::format("{}", i));
    const auto give_up = Clock::now() + std::chrono::seconds{30};
    while (heard < clients && Clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::microseconds{200});
    }
    if (heard < clients) throw std::runtime_error{"not all have heard of a write"};
    times.push_back(us_since(asked));
  }
  const double took = us_since(begun) / 1e6;
  is_over = true;
  threads.clear();
  print(std::move(times), took, {});
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 5 && words[0] == "locks") {
    locks(words[1], std::stoi(words[2]), std::stod(words[3]), words[4]);
  } else if (words.size() >= 4 && words[0] == "reads") {
    reads(words[1], std::stod(words[2]), words[3], words.size() > 4);
  } else if (words.size() == 5 && words[0] == "news") {
    news(words[1], std::stoi(words[2]), std::stoi(words[3]), words[4]);
  } else {
    std::fputs("engines_bench locks|reads|news …: see bench/engines\n", stderr);
    return 2;
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "engines_bench: %s\n", e.what());
  return 1;
}
