#include "direct_redis/redis_server.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>
#include <utility>

namespace hapax::direct {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// One that cannot be reached costs everybody the time in which it was tried: not so often.
constexpr milliseconds kPause{500};
// Nobody sets keys of such a size for a lock.
constexpr std::size_t kLongestText = 4096;

timeval left_until(RedisServer::Deadline deadline) {
  const auto left = std::max(
      std::chrono::duration_cast<std::chrono::microseconds>(deadline - steady_clock::now()),
      std::chrono::microseconds{1'000});
  return {static_cast<time_t>(left.count() / 1'000'000),
          static_cast<suseconds_t>(left.count() % 1'000'000)};
}

RedisReply reply_of(const redisReply& reply) {
  const auto text = [&] { return std::string{reply.str, std::min(reply.len, kLongestText)}; };
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      return {RedisReply::Kind::number, reply.integer, ""};
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      return {RedisReply::Kind::text, 0, text()};
    case REDIS_REPLY_ERROR:
      return {RedisReply::Kind::error, 0, text()};
    default:
      return {};
  }
}

}  // namespace

void RedisServer::Close::operator()(redisContext* context) const { redisFree(context); }

RedisServer::RedisServer(engine::Endpoint where, std::string user, std::string password)
    : where_(std::move(where)), user_(std::move(user)), password_(std::move(password)) {}
RedisServer::~RedisServer() = default;
RedisServer::RedisServer(RedisServer&&) noexcept = default;

void RedisServer::give_up(const std::string& why) {
  trouble_ = fmt::format("{}: {}", where_.text(), why);
  context_.reset();
  is_asked_ = false;
}

bool RedisServer::connect(Deadline deadline) {
  if (steady_clock::now() < not_before_) return false;
  not_before_ = steady_clock::now() + kPause;
  context_.reset(redisConnectWithTimeout(where_.host.c_str(), where_.port, left_until(deadline)));
  if (!context_ || context_->err != 0) {
    give_up(context_ ? context_->errstr : "out of memory");
    return false;
  }
  fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
  if (password_.empty()) return true;
  if (!append(user_.empty() ? Words{"AUTH", password_} : Words{"AUTH", user_, password_})) {
    return false;
  }
  const auto let_in = answer(deadline);
  if (!let_in) return false;
  if (let_in->kind == RedisReply::Kind::error) {
    give_up(let_in->text);
    return false;
  }
  return true;
}

bool RedisServer::append(const Words& words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  const int done = redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()),
                                          texts.data(), sizes.data());
  if (done != REDIS_OK) {
    give_up(context_->errstr);
    return false;
  }
  for (int is_sent = 0; is_sent == 0;) {
    if (redisBufferWrite(context_.get(), &is_sent) != REDIS_OK) {
      give_up(context_->errstr);
      return false;
    }
  }
  is_asked_ = true;
  return true;
}

void RedisServer::ask(const Words& words, Deadline deadline) {
  const bool was_connected = context_ != nullptr;
  if (!was_connected && !connect(deadline)) return;
  if (append(words) || !was_connected) return;
  // It was closed since: a server that has been restarted, say.
  not_before_ = {};
  if (connect(deadline)) append(words);
}

std::optional<RedisReply> RedisServer::answer(Deadline deadline) {
  if (!is_asked_) return std::nullopt;
  redisSetTimeout(context_.get(), left_until(deadline));
  void* raw = nullptr;
  if (redisGetReply(context_.get(), &raw) != REDIS_OK) {
    const bool is_late = context_->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
    give_up(is_late ? "no answer in time" : context_->errstr);
    return std::nullopt;
  }
  is_asked_ = false;
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply{static_cast<redisReply*>(raw),
                                                                      freeReplyObject};
  RedisReply said = reply_of(*reply);
  trouble_.clear();
  if (said.kind == RedisReply::Kind::error) {
    trouble_ = fmt::format("{}: {}", where_.text(), said.text);
  }
  return said;
}

}  // namespace hapax::direct
