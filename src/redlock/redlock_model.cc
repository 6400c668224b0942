#include "redlock/redlock_model.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

namespace hapax {
namespace {

// Long enough for a clock that runs twice as fast to matter, and no longer.
constexpr std::int64_t kTtl = 4;
constexpr std::int64_t kDrift = 1;

std::uint32_t count_of(std::uint8_t mask) {
  return static_cast<std::uint32_t>(std::popcount(mask));
}
std::uint8_t bit(std::uint32_t i) { return static_cast<std::uint8_t>(1u << i); }

}  // namespace

RedlockModel::RedlockModel(const RedlockOptions& options)
    : options_(options), rule_{options.servers, kTtl, kDrift} {}

void RedlockModel::expand(const std::uint64_t* row, Steps& steps) {
  scene_.unpack(row, options_);
  std::vector<std::uint64_t> next(width());
  each([&](const SearchStep& step, const std::optional<Fault>& fault) {
    if (fault) return steps.fail(step, fault->property, fault->text);
    scene_.pack(next.data(), options_);
    steps.add(step, next.data());
  });
}

void RedlockModel::each(const Then& then) {
  for (std::uint8_t c = 0; c < options_.clients; ++c) each_of(c, then);
  if (scene_.may_tick(options_)) take({tick, 0, 0, 0}, then);
  for (std::uint8_t s = 0; s < options_.servers; ++s) {
    const bool may_drift = options_.drift && !scene_.has_drifted;
    const bool may_restart = options_.restart && !scene_.has_restarted;
    if (may_drift) take({drift, 0, s, 0}, then);
    if (may_restart) take({restart, 0, s, 0}, then);
  }
}

void RedlockModel::each_of(std::uint8_t client, const Then& then) {
  const RedlockClient c = scene_.clients[client];
  const auto at_servers = [&](Kind kind, std::uint8_t mask) {
    for (std::uint8_t s = 0; s < options_.servers; ++s) {
      if ((mask & bit(s)) != 0) take({kind, client, s, 0}, then);
    }
  };
  switch (c.phase) {
    case Phase::idle:
      return take({begin, client, 0, 0}, then);
    case Phase::asking:
      if (c.asked == everywhere()) return take({decide, client, 0, 0}, then);
      return at_servers(ask, static_cast<std::uint8_t>(~c.asked));
    case Phase::raising:
      return take({raise, client, 0, 0}, then);
    case Phase::inside:
      take({leave, client, 0, 0}, then);
      if (options_.pause && !scene_.has_paused) take({pause, client, 0, 0}, then);
      return;
    case Phase::leaving:
      return take({give_back, client, 0, 0}, then);
    case Phase::done:
      return;
  }
}

void RedlockModel::take(const SearchStep& step, const Then& then) {
  const RedlockScene before = scene_;
  then(step, act(step));
  scene_ = before;
}

std::optional<RedlockModel::Fault> RedlockModel::act(const SearchStep& step) {
  RedlockClient& c = scene_.clients[step.from];
  RedlockServer& s = scene_.servers[step.to];
  const auto me = static_cast<std::uint8_t>(step.from + 1);
  switch (step.kind) {
    case begin:
      c.phase = Phase::asking;
      ++c.tries;
      break;
    case ask:  // SET key me NX PX ttl; and if that is done, INCR count.
      c.asked |= bit(step.to);
      if (s.holder != 0) break;
      s.holder = me;
      s.left = static_cast<std::uint8_t>(rule_.ttl);
      ++s.count;
      c.set |= bit(step.to);
      c.fence = std::max(c.fence, s.count);
      break;
    case decide:
      c.phase = rule_.good_for(count_of(c.set), c.age) > 0 ? Phase::raising : Phase::leaving;
      break;
    case raise:  // Where the key is still ours: count is at least the fence.
      for (std::uint32_t i = 0; i < options_.servers; ++i) {
        RedlockServer& there = scene_.servers[i];
        if (there.holder != me) c.set &= static_cast<std::uint8_t>(~bit(i));
        if (there.holder == me) there.count = std::max(there.count, c.fence);
      }
      if (rule_.good_for(count_of(c.set), c.age) > 0) return enter(step.from);
      c.phase = Phase::leaving;
      break;
    case leave:
      return write(c, step.from);
    case give_back:  // Where the key is ours: DEL.
      for (std::uint32_t i = 0; i < options_.servers; ++i) {
        RedlockServer& there = scene_.servers[i];
        if (there.holder == me) there.holder = there.left = 0;
      }
      try_again(c);
      break;
    case tick:
      scene_.tick(options_, rule_);
      break;
    case pause:
      c.is_paused = scene_.has_paused = true;
      break;
    case drift:
      s.is_fast = scene_.has_drifted = true;
      break;
    case restart:
      s = {.is_fast = s.is_fast};
      scene_.has_restarted = true;
      break;
  }
  return std::nullopt;
}

std::optional<RedlockModel::Fault> RedlockModel::enter(std::uint8_t client) {
  RedlockClient& c = scene_.clients[client];
  const std::uint8_t before = std::exchange(scene_.last_fence, c.fence);
  c.phase = Phase::inside;
  c.left = static_cast<std::uint8_t>(rule_.good_for(count_of(c.set), c.age));
  c.has_read = c.fence >= scene_.gate;
  scene_.gate = std::max(scene_.gate, c.fence);
  c.read = scene_.writes;
  if (options_.gate) return std::nullopt;
  for (std::uint32_t i = 0; i < options_.clients; ++i) {
    if (i == client || scene_.clients[i].phase != Phase::inside) continue;
    return Fault{"exclusion", fmt::format("P{} and P{} are inside", i + 1, client + 1)};
  }
  if (c.fence > before) return std::nullopt;
  return Fault{"fences", fmt::format("P{} is let in with fence {} after fence {}", client + 1,
                                     c.fence, before)};
}

std::optional<RedlockModel::Fault> RedlockModel::write(RedlockClient& c, std::uint8_t client) {
  if (c.has_read && c.fence >= scene_.gate) {
    if (options_.gate && c.read != scene_.writes) {
      return Fault{"updates", fmt::format("P{} writes over what another has written", client + 1)};
    }
    ++scene_.writes;
  }
  c.phase = Phase::leaving;
  return std::nullopt;
}

// What it knew is over; so equal situations are equal states.
void RedlockModel::try_again(RedlockClient& c) {
  const std::uint8_t tries = c.tries;
  c = {};
  c.tries = tries;
  if (tries >= options_.tries) c.phase = Phase::done;
}

std::vector<std::string> RedlockModel::tell(const std::vector<SearchStep>& way) {
  std::vector<std::string> lines;
  scene_ = {};
  for (const SearchStep& step : way) {
    const RedlockScene before = scene_;
    (void)act(step);
    lines.push_back(words_for(step, before));
  }
  return lines;
}

std::string RedlockModel::words_for(const SearchStep& step, const RedlockScene& before) const {
  const std::uint32_t client = step.from + 1u;
  const std::uint32_t server = step.to + 1u;
  const RedlockClient& c = scene_.clients[step.from];
  const RedlockServer& s = before.servers[step.to];
  switch (step.kind) {
    case begin:
      return fmt::format("P{} begins to ask; its lock is to last for {} ticks", client, rule_.ttl);
    case ask:
      return s.holder == 0 ? fmt::format("server {} sets the key for P{}, count {}", server, client,
                                         s.count + 1)
                           : fmt::format("server {} has the key set for P{}, and refuses P{}",
                                         server, s.holder, client);
    case decide:
    case raise: {
      const std::string has = fmt::format("P{} has {} of {} servers after {} ticks", client,
                                          count_of(c.set), options_.servers, c.age);
      if (c.phase == Phase::leaving) return has + ": not enough, or too late";
      if (c.phase == Phase::raising) return fmt::format("{}: its fence is {}", has, c.fence);
      return fmt::format("{}: they count from {} on, and it is inside", has, c.fence);
    }
    case leave:
      return fmt::format("P{} writes with fence {}{}", client, c.fence,
                         c.fence < before.gate ? ": refused by the gate" : "");
    case give_back:
      return fmt::format("P{} gives back what it has set", client);
    case tick: {
      std::string expired;
      for (std::uint32_t i = 0; i < options_.servers; ++i) {
        if (before.servers[i].holder != 0 && scene_.servers[i].holder == 0) {
          expired +=
              fmt::format("{}{}", expired.empty() ? ": the key expires at server " : ", ", i + 1);
        }
      }
      return "a tick goes by" + expired;
    }
    case pause:
      return fmt::format("P{} is stopped where it is", client);
    case drift:
      return fmt::format("the clock of server {} runs twice as fast from now on", server);
    case restart:
      return fmt::format("server {} starts again, empty", server);
  }
  return "";
}

}  // namespace hapax
