// An engine by its URL.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
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
  std::chrono::milliseconds timeout{3'000};  // For each call, from 10 ms to 10 min.
  std::optional<TlsFiles> tls;
  std::string user;  // Empty: none.
  std::string password;
};

// Refuses options that make no sense, or that this engine or this build does not have, and TLS
// files that cannot be read. Opens nothing and contacts nobody.
Result<void> check(const Url& url, const Options& options);

// Refuses what check() does, and files that cannot be used. Servers that cannot be reached are no
// error: health() tells.
Result<std::unique_ptr<Engine>> open(boost::asio::io_context& io, const Url& url,
                                     const Options& options);

// The engines of this build.
std::vector<Kind> available();

}  // namespace hapax::engine
