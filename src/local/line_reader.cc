#include "local/line_reader.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace hapax::local {
namespace {

constexpr std::size_t kLongest = 4096;  // Of a line; the rest comes as another.

}  // namespace

LineReader::LineReader(std::vector<int> descriptors, Heard heard)
    : descriptors_(std::move(descriptors)),
      begun_(descriptors_.size()),
      heard_(std::move(heard)),
      end_(eventfd(0, EFD_CLOEXEC)) {
  if (end_ < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
  for (const int descriptor : descriptors_) fcntl(descriptor, F_SETFL, O_NONBLOCK);
  thread_ = std::thread{[this] { read_all(); }};
}

LineReader::~LineReader() {
  const std::uint64_t one = 1;
  (void)!write(end_, &one, sizeof one);
  thread_.join();
  for (const int descriptor : descriptors_) close(descriptor);
  close(end_);
}

void LineReader::read_all() {
  std::vector<pollfd> all;
  for (const int descriptor : descriptors_) all.push_back({descriptor, POLLIN, 0});
  all.push_back({end_, POLLIN, 0});
  for (bool ends = false; !ends;) {
    if (poll(all.data(), all.size(), -1) < 0) continue;
    ends = all.back().revents != 0;
    for (std::size_t i = 0; i < descriptors_.size(); ++i) {
      if (all[i].revents != 0 && !read_some(i)) all[i].fd = -1;  // poll passes over it.
    }
  }
}

bool LineReader::read_some(std::size_t from) {
  std::array<char, 4096> bytes;
  std::string& line = begun_[from];
  for (;;) {
    const ssize_t count = read(descriptors_[from], bytes.data(), bytes.size());
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    for (const char c : std::string_view{bytes.data(), static_cast<std::size_t>(count)}) {
      if (c != '\n') line += c;
      if (c == '\n' || line.size() == kLongest) heard_(from, std::exchange(line, {}));
    }
  }
}

}  // namespace hapax::local
