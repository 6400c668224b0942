// Redlock at real servers: a key with an expiry at each, set where there is none, and a count
// beside it from which fences come. What it decides by is redlock/redlock.h, which is checked
// (docs/algorithms/redlock.md says what that proves, and what not).
//
// Blocks, for as long as a server is waited for; used by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "direct_redis/redis_server.h"
#include "redlock/redlock.h"

namespace hapax::direct {

class RedlockClient {
 public:
  using Milliseconds = std::chrono::milliseconds;

  RedlockClient(std::vector<RedisServer> servers, Milliseconds ttl);

  // Whether most servers answer.
  bool is_there();

  // Sets the key at as many as do not have it, and says with which fence it is ours, if it is;
  // otherwise takes back what it has set. `token` is nobody else's.
  std::optional<std::uint64_t> take(const std::string& key, const std::string& token);
  // What a majority says of it.
  enum class Ownership { ours, not_ours, unknown };
  Ownership look(const std::string& key, const std::string& token);
  // Another TTL from now.
  Ownership renew(const std::string& key, const std::string& token);
  // Deletes it where it is ours; whether all servers have answered.
  bool give_back(const std::string& key, const std::string& token);
  // What most of those that answer have there; empty: nothing. Nothing if too few answer.
  std::optional<std::string> read(const std::string& key);

  // For how long what is taken can be relied on, counted from before it was asked for.
  Milliseconds good_for() const { return Milliseconds{rule_.good_for(rule_.servers, 0)}; }
  std::string trouble() const;

  static std::string count_of(const std::string& key) { return key + ":fence"; }

 private:
  using Answers = std::vector<std::optional<RedisReply>>;

  Answers ask(const RedisServer::Words& words);
  std::uint32_t count(const Answers& answers,
                      const std::function<bool(const RedisReply&)>& is) const;
  Ownership owned(const Answers& answers) const;
  Answers run(const char* script, const std::string& key, const RedisServer::Words& words);

  std::vector<RedisServer> servers_;
  Redlock rule_;
  Milliseconds patience_;  // With a server.
};

}  // namespace hapax::direct
