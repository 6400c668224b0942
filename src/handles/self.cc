#include "handles/self.h"

#include <array>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "session/protocol.h"

namespace hapax::client {

std::string own_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string own_command() {
  std::ifstream file{"/proc/self/cmdline", std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  if (text.size() > session::kLongestText) text.resize(session::kLongestText);
  return text;
}

}  // namespace hapax::client
