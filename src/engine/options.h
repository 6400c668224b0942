// How an engine is used, whichever it is.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/url.h"

namespace hapax::engine {

// PEM files. Without a certificate of our own the server must not ask for one.
struct TlsFiles {
  std::string authority;
  std::string certificate;  // Ours, with its key; or both empty.
  std::string key;
};

struct Options {
  // Groups on one engine never see each other's records. Letters, digits, '-', '_' and '.'; 64 at
  // most.
  std::string group = "default";
  // Records of that group that are kept apart from the others, as `hapax/GROUP+PART/KEY`: neither
  // read nor watched with them. Empty: the others.
  std::string part{};
  std::chrono::milliseconds timeout{3'000};  // For each call, from 10 ms to 10 min.
  std::optional<TlsFiles> tls;
  std::string user;  // Empty: none.
  std::string password;
  // Of the embedded engine: its file may be a copy, or have been moved; nobody uses the original.
  bool adopts_copy = false;

  // No group has a '+' in its name.
  std::string place() const { return part.empty() ? group : group + "+" + part; }
};

// Refuses options that make no sense, or that this kind of engine does not have, and TLS files that
// cannot be read.
Result<void> check_options(const Url& url, const Options& options);

}  // namespace hapax::engine
