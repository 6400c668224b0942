#include "bank/atm_process.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace hapax::bank {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::minutes kLongest{2};  // Twice what the longest act may take.

struct Ends {
  int ours, its;
};

Ends socket_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error{errno, std::generic_category(), "socketpair"};
  }
  return {ends[0], ends[1]};
}

}  // namespace

AtmProcess::AtmProcess(const std::filesystem::path& books, int number, Interrupts& interrupts)
    : interrupts_(interrupts), number_(number) {
  const Ends ends = socket_pair();
  fd_ = ends.ours;
  try {
    process_.emplace(
        fmt::format("ATM {}", number),
        Command{.words = {"hapax", "demo", "atm", books.string(), std::to_string(number)},
                .program = kThisProgram,
                .input = ends.its,
                .output = ends.its,
                .without_settings = true});
  } catch (...) {
    close(ends.ours);
    close(ends.its);
    throw;
  }
  close(ends.its);
}

AtmProcess::~AtmProcess() { close(fd_); }

void AtmProcess::fail(const std::string& why) const {
  throw std::runtime_error{fmt::format("ATM {}: {}", number_, why)};
}

void AtmProcess::tell(const std::string& line) {
  const std::string whole = line + '\n';  // Short: it fits into the socket at once.
  if (send(fd_, whole.data(), whole.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(whole.size())) {
    fail("is gone");
  }
}

std::string AtmProcess::hear() {
  auto line = hear_within(kLongest);
  if (!line) fail("does not answer");
  return *line;
}

std::optional<std::string> AtmProcess::hear_within(std::chrono::milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  for (;;) {
    if (const auto end = heard_.find('\n'); end != std::string::npos) {
      const std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      if (line.starts_with("error ")) fail(line.substr(6));
      return line;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    std::array<pollfd, 2> both{pollfd{fd_, POLLIN, 0}, pollfd{interrupts_.descriptor(), POLLIN, 0}};
    if (poll(both.data(), both.size(), static_cast<int>(left.count())) <= 0) continue;
    interrupts_.throw_if_any();
    if (both[0].revents == 0) continue;
    std::array<char, 512> bytes;
    const ssize_t count = recv(fd_, bytes.data(), bytes.size(), 0);
    if (count <= 0) fail("is gone");
    heard_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace hapax::bank
