#include "direct_redis/redlock_client.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/boot_clock.h"

namespace hapax::direct {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// KEYS: the lock and its count; ARGV: the token, and what more there is. A script is atomic at its
// server.
constexpr const char* kTake =
    "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then "
    "return redis.call('INCR', KEYS[2]) end "
    "if redis.call('GET', KEYS[1]) == ARGV[1] then "  // It was asked before.
    "redis.call('PEXPIRE', KEYS[1], ARGV[2]) return tonumber(redis.call('GET', KEYS[2]) or 0) end "
    "return 0";
// So that the next one's fence is larger wherever most have set it.
constexpr const char* kRaise =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
    "if tonumber(redis.call('GET', KEYS[2]) or 0) < tonumber(ARGV[2]) then "
    "redis.call('SET', KEYS[2], ARGV[2]) end return 1";
constexpr const char* kLook = "if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end return 0";
constexpr const char* kRenew =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then "
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
constexpr const char* kGiveBack =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

bool is_one(const RedisReply& reply) {
  return reply.kind == RedisReply::Kind::number && reply.number == 1;
}

// As the inventor of it has it: a hundredth, and two for what a server counts in.
std::int64_t drift_of(milliseconds ttl) { return ttl.count() / 100 + 2; }

}  // namespace

RedlockClient::RedlockClient(std::vector<RedisServer> servers, milliseconds ttl)
    : servers_(std::move(servers)),
      rule_{static_cast<std::uint32_t>(servers_.size()), ttl.count(), drift_of(ttl)},
      patience_(std::min(ttl / 5, milliseconds{500})) {}

RedlockClient::Answers RedlockClient::ask(const RedisServer::Words& words) {
  const auto deadline = steady_clock::now() + patience_;
  for (RedisServer& server : servers_) server.ask(words, deadline);
  Answers answers;
  for (RedisServer& server : servers_) answers.push_back(server.answer(deadline));
  return answers;
}

RedlockClient::Answers RedlockClient::run(const char* script, const std::string& key,
                                          const RedisServer::Words& words) {
  RedisServer::Words all{"EVAL", script, "2", key, count_of(key)};
  all.insert(all.end(), words.begin(), words.end());
  return ask(all);
}

std::uint32_t RedlockClient::count(const Answers& answers,
                                   const std::function<bool(const RedisReply&)>& is) const {
  return static_cast<std::uint32_t>(std::count_if(
      answers.begin(), answers.end(),
      [&](const std::optional<RedisReply>& answer) { return answer && is(*answer); }));
}

RedlockClient::Ownership RedlockClient::owned(const Answers& answers) const {
  if (count(answers, is_one) >= rule_.majority()) return Ownership::ours;
  const auto is_no = [](const RedisReply& reply) {
    return reply.kind == RedisReply::Kind::number && reply.number == 0;
  };
  // So many have it no more that no majority can.
  const bool is_lost = rule_.servers - count(answers, is_no) < rule_.majority();
  return is_lost ? Ownership::not_ours : Ownership::unknown;
}

bool RedlockClient::is_there() {
  const auto answers = ask({"PING"});
  return count(answers, [](const RedisReply& reply) {
           return reply.kind == RedisReply::Kind::text;
         }) >= rule_.majority();
}

std::optional<std::uint64_t> RedlockClient::take(const std::string& key, const std::string& token) {
  const auto began = boot_clock_now();
  const auto elapsed = [&] {
    return std::chrono::ceil<milliseconds>(boot_clock_now() - began).count();
  };
  const auto is_set = [](const RedisReply& reply) {
    return reply.kind == RedisReply::Kind::number && reply.number > 0;
  };
  const Answers set = run(kTake, key, {token, std::to_string(rule_.ttl)});
  std::int64_t fence = 0;
  for (const auto& answer : set) {
    if (answer && is_set(*answer)) fence = std::max(fence, answer->number);
  }
  if (rule_.good_for(count(set, is_set), elapsed()) > 0) {
    if (rule_.servers == 1) return static_cast<std::uint64_t>(fence);
    const Answers raised = run(kRaise, key, {token, std::to_string(fence)});
    if (rule_.good_for(count(raised, is_one), elapsed()) > 0) {
      return static_cast<std::uint64_t>(fence);
    }
  }
  // Also where nothing was heard: it may have been set there, or be yet.
  if (count(set, is_set) > 0 || set.size() > count(set, [](const RedisReply&) { return true; })) {
    give_back(key, token);
  }
  return std::nullopt;
}

RedlockClient::Ownership RedlockClient::look(const std::string& key, const std::string& token) {
  return owned(run(kLook, key, {token}));
}

RedlockClient::Ownership RedlockClient::renew(const std::string& key, const std::string& token) {
  return owned(run(kRenew, key, {token, std::to_string(rule_.ttl)}));
}

bool RedlockClient::give_back(const std::string& key, const std::string& token) {
  const Answers answers = run(kGiveBack, key, {token});
  return count(answers, [](const RedisReply& reply) {
           return reply.kind == RedisReply::Kind::number;
         }) == rule_.servers;
}

std::optional<std::string> RedlockClient::read(const std::string& key) {
  std::map<std::string, std::uint32_t> said;
  std::uint32_t heard = 0;
  for (const auto& answer : ask({"GET", key})) {
    if (!answer || answer->kind == RedisReply::Kind::error) continue;
    ++heard;
    ++said[answer->text];
  }
  if (heard < rule_.majority()) return std::nullopt;
  const auto most = std::max_element(
      said.begin(), said.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

std::string RedlockClient::trouble() const {
  std::string all;
  for (const RedisServer& server : servers_) {
    if (server.trouble().empty()) continue;
    all += (all.empty() ? "" : "; ") + server.trouble();
  }
  return all;
}

}  // namespace hapax::direct
