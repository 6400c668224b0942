#include "direct/introduction.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

#include "base/printable.h"
#include "handles/self.h"

namespace hapax::direct {
namespace {

using std::chrono::milliseconds;

milliseconds time_of_day() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

template <class T>
T number_of(std::string_view word) {
  T number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

}  // namespace

std::string introduction() {
  // Looked up once: each of these is several system calls, and a lock needs few.
  static const std::string host = client::own_host();
  static const std::string command = client::own_command();
  return fmt::format("hapax {} {} {} {}", host, getpid(), time_of_day().count(), command);
}

Person person_of(std::string_view said) {
  Person person;
  std::string_view rest = said;
  if (next_word(rest) != "hapax") {
    person.command = printable(said);
    return person;
  }
  person.host = printable(next_word(rest));
  person.pid = number_of<std::uint32_t>(next_word(rest));
  const milliseconds asked{number_of<std::int64_t>(next_word(rest))};
  person.since = std::max(milliseconds{0}, time_of_day() - asked);
  person.command = printable(rest);
  return person;
}

}  // namespace hapax::direct
