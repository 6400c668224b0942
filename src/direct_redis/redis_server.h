// One Redis server: a connection that is made when it is needed, and a question at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/url.h"

struct redisContext;

namespace hapax::direct {

struct RedisReply {
  enum class Kind { number, text, nothing, error };
  Kind kind = Kind::nothing;
  std::int64_t number = 0;
  std::string text;  // Of an error, too.
};

// Used by one thread.
class RedisServer {
 public:
  using Words = std::vector<std::string>;
  using Deadline = std::chrono::steady_clock::time_point;

  RedisServer(engine::Endpoint where, std::string user, std::string password);
  ~RedisServer();
  RedisServer(RedisServer&&) noexcept;

  // Sends it, having connected first if need be.
  void ask(const Words& words, Deadline deadline);
  // What it says to that; nothing if it does not in time, and then whatever it says later is not
  // heard. REQUIRES: asked.
  std::optional<RedisReply> answer(Deadline deadline);

  // What was wrong last, for people; empty: nothing.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };

  bool connect(Deadline deadline);
  bool append(const Words& words);
  void give_up(const std::string& why);

  engine::Endpoint where_;
  std::string user_, password_;
  std::unique_ptr<redisContext, Close> context_;
  bool is_asked_ = false;
  std::chrono::steady_clock::time_point not_before_{};  // It is tried again.
  std::string trouble_;
};

}  // namespace hapax::direct
