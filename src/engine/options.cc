#include "engine/options.h"

#include <algorithm>
#include <fstream>

namespace hapax::engine {
namespace {

using std::chrono::milliseconds;

Result<void> good_group(const std::string& group) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (group.empty() || group.size() > 64 || group.front() == '.' ||
      !std::all_of(group.begin(), group.end(), plain)) {
    return error(
        "'{}' is no name of a group; write up to 64 letters, digits, '-', '_' and '.', the first "
        "one not a '.'",
        group);
  }
  return {};
}

}  // namespace

Result<void> check_options(const Url& url, const Options& options) {
  if (auto group = good_group(options.group); !group) return group;
  if (options.timeout < milliseconds{10} || options.timeout > milliseconds{600'000}) {
    return error("the engine's time limit is {} ms; choose from 10 ms to 600000 ms",
                 options.timeout.count());
  }
  if (options.user.empty() && !options.password.empty()) {
    return error("the engine's password has no user; name one");
  }
  if (url.kind == Kind::embedded && (options.tls || !options.user.empty())) {
    return error("the embedded engine is a file: leave out TLS and user, and guard the file");
  }
  if (url.kind == Kind::zookeeper && options.tls) {
    return error(
        "ZooKeeper's client of Debian has no TLS; leave out the engine's TLS files, and use "
        "a tunnel");
  }
  if (url.kind == Kind::zookeeper && options.user.find(':') != std::string::npos) {
    return error("ZooKeeper's users have no ':' in their names, but '{}' has; choose another",
                 options.user);
  }
  if (!options.tls) return {};
  const TlsFiles& tls = *options.tls;
  if (tls.certificate.empty() != tls.key.empty()) {
    return error("the engine's TLS certificate and its key go together; name both or none");
  }
  for (const std::string& file : {tls.authority, tls.certificate, tls.key}) {
    if (!file.empty() && !std::ifstream{file}.good()) {
      return error("cannot read '{}'; check the engine's TLS files", file);
    }
  }
  return {};
}

}  // namespace hapax::engine
