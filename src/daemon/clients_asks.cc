// What clients ask for.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/printable.h"
#include "base/release.h"
#include "core/lock_name.h"
#include "daemon/clients.h"

namespace hapax {

void Clients::refuse(Visitor& visitor, session::RequestId request, const std::string& why) {
  visitor.tell(session::Refused{request, why});
}

bool Clients::forbids(Visitor& visitor, session::RequestId request, Right right,
                      const std::string& what, std::string_view lock) {
  const auto no = host_.roles.objection(visitor.caller(), right, what, lock);
  if (no) visitor.tell(session::Refused{request, *no, session::Refused::Kind::forbidden});
  if (!no && right != Right::administer) return false;
  const std::string who =
      fmt::format("{}, pid {} ({})", visitor.caller().text(), visitor.pid(), visitor.command());
  if (no) {
    const bool is_grave = right == Right::administer;
    (is_grave ? host_.log_once : host_.log_seldom)(
        fmt::format("refused to {}, which {} asked for: {}", printable(what), who, *no),
        is_grave ? LogLevel::warning : LogLevel::info);
  } else {
    host_.log(fmt::format("asked to {} by {}", printable(what), who), LogLevel::info);
  }
  return no.has_value();
}

void Clients::on(Visitor& visitor, session::Hello&& hello) {
  if (!session::is_spoken(hello.version)) {
    refuse(visitor, 0,
           fmt::format("this daemon speaks versions {} to {} of the protocol, the client {}: use "
                       "the same hapax for both",
                       session::kOldestVersion, session::kVersion, hello.version));
    return visitor.close(true);
  }
  if (!hello.asks_only && !visitors_.has_room_for_another()) {
    refuse(
        visitor, 0,
        fmt::format("{} clients are connected, and there is no room for more: connect to another "
                    "member, or allow this daemon more open files (ulimit -n)",
                    visitors_.most()));
    return visitor.close(true);
  }
  visitor.introduce(hello);
  host_.log(fmt::format("client {}, pid {} ({}), is here", visitor.caller().text(), visitor.pid(),
                        visitor.command()),
            LogLevel::debug);
  const Group& group = host_.group;
  const auto ttl = group.has_leases() ? group.options().times.ttl : Span{0};
  visitor.tell(session::Welcome{
      visitor.version(), number(group.seat()),
      static_cast<std::uint32_t>(group.others().size() + 1), group.epoch(),
      static_cast<std::uint64_t>(ttl / std::chrono::milliseconds{1}), std::string{release()}});
}

// --- locks ---

ClientRequest* Clients::admit(Visitor& visitor, session::RequestId request, const std::string& name,
                              Want want, std::uint32_t word) {
  const auto refused = [&](const char* why) {
    refuse(visitor, request, why);
    return nullptr;
  };
  if (visitor.requests.contains(request) || request == 0) return refused("that request is in use");
  // Nothing is wrong with what it asks for, and others may grant it.
  if (is_winding_up_ || host_.group.is_leaving()) {
    visitor.tell(session::Ended{request, is_winding_up_
                                             ? "this daemon is about to end; ask at another one"
                                             : "this member leaves its group; ask at another one"});
    return nullptr;
  }
  if (visitor.only_asks()) return refused("whoever only asks takes no locks");
  if (visitor.requests.size() >= Visitor::kMostRequests) {
    return refused("too many requests of one client");
  }
  const auto at = visitor.requests.try_emplace(request, visitor, request, host_.waiters.next(),
                                               name, want, visitor.word(word));
  return &at.first->second;
}

void Clients::on(Visitor& visitor, session::Acquire&& a) {
  if (forbids(visitor, a.request, Right::lock, "take " + a.name, a.name)) return;
  ClientRequest* const request = admit(visitor, a.request, a.name, a.want, a.word);
  if (request == nullptr) return;
  const auto asked = host_.waiters.acquire(a.name, request->waiter(), *request, a.want);
  if (!asked) request->on_refused(asked.error().message);
}

void Clients::on(Visitor& visitor, session::Cancel&& c) {
  end_observation(visitor, c.request);
  const auto at = visitor.requests.find(c.request);
  // If the grant is on its way, that is the answer.
  if (at != visitor.requests.end() && at->second.is_held()) return;
  const std::string name = at == visitor.requests.end() ? "" : at->second.name();
  end_request(visitor, c.request);
  tell_ended(visitor, c.request, name);
}

void Clients::tell_ended(Visitor& visitor, session::RequestId request, const std::string& name) {
  const std::string obstacle = name.empty() ? "" : host_.group.obstacle();
  const auto away = name.empty() ? std::vector<AwayMember>{} : host_.group.away();
  if (!obstacle.empty() || away.empty()) return visitor.tell(session::Ended{request, obstacle});
  // It is told only while it is a visitor: on_gone() has the question forgotten.
  const auto tell = [&visitor, request, words = words_of(away)](session::Locks&& locks) {
    const bool is_held =
        std::any_of(locks.locks.begin(), locks.locks.end(),
                    [](const session::Lock& lock) { return lock.holder || !lock.sharers.empty(); });
    visitor.tell(session::Ended{request, is_held ? "" : words});
  };
  if (!host_.inquiries.ask(&visitor, name, tell)) visitor.tell(session::Ended{request});
}

void Clients::on(Visitor& visitor, session::Release&& r) {
  const auto at = visitor.requests.find(r.request);
  if (at == visitor.requests.end() || !at->second.is_held()) {
    return refuse(visitor, r.request, "it is not held");
  }
  end_request(visitor, r.request);
}

// --- elections ---

void Clients::on(Visitor& visitor, session::Campaign&& c) {
  if (forbids(visitor, c.request, Right::lock, "lead " + c.name, c.name)) return;
  if (const auto good = Waiters::check_campaign(c.name, c.value); !good) {
    return refuse(visitor, c.request, good.error().message);
  }
  ClientRequest* const request = admit(visitor, c.request, c.name);
  if (request == nullptr) return;
  host_.waiters.campaign(c.name, c.value, request->waiter(), *request);
}

void Clients::on(Visitor& visitor, session::HandOver&& h) {
  Campaigns& campaigns = host_.waiters.campaigns();
  const auto at = visitor.requests.find(h.campaign);
  if (at == visitor.requests.end() || !campaigns.leads(at->second.waiter())) {
    return refuse(visitor, h.request, "it does not lead");
  }
  if (const auto good = Waiters::check_campaign(at->second.name(), h.to); !good) {
    return refuse(visitor, h.request, good.error().message);
  }
  campaigns.hand_over(at->second.waiter(), h.to, tell_outcome(visitor, h.request, h.campaign));
}

void Clients::on(Visitor& visitor, session::AskResign&& a) {
  if (forbids(visitor, a.request, Right::administer, "make the leader of " + a.name + " resign")) {
    return;
  }
  if (const auto good = Waiters::check_campaign(a.name, a.to); !good) {
    return refuse(visitor, a.request, good.error().message);
  }
  const auto outcome = tell_outcome(visitor, a.request, std::nullopt);
  Campaigns& campaigns = host_.waiters.campaigns();
  if (a.to.empty()) return campaigns.request_resignation(a.name, a.to, outcome);
  // Nobody is asked to step down for somebody who is not there.
  campaigns.find_candidate(
      a.name, a.to,
      [&campaigns, a, outcome, this,
       who = std::weak_ptr{visitor.shared()}](const std::string& wrong) {
        if (wrong.empty()) return campaigns.request_resignation(a.name, a.to, outcome);
        const auto there = who.lock();
        if (!there || !visitors_.contains(there)) return;
        there->tell(session::Refused{a.request, wrong, session::Refused::Kind::no_candidate});
      });
}

// Whoever has left meanwhile has lost its lead, too.
std::function<void(const std::string&)> Clients::tell_outcome(
    Visitor& visitor, session::RequestId request, std::optional<session::RequestId> campaign) {
  return
      [this, who = std::weak_ptr{visitor.shared()}, request, campaign](const std::string& wrong) {
        const auto there = who.lock();
        if (!there || !visitors_.contains(there)) return;
        if (!wrong.empty()) return refuse(*there, request, wrong);
        if (campaign) end_request(*there, *campaign);
        there->tell(session::Ended{request});
      };
}

void Clients::on(Visitor& visitor, session::Observe&& o) {
  if (forbids(visitor, o.request, Right::read, "see who leads " + o.name, o.name)) return;
  if (const auto good = check_lock_name(o.name); !good) {
    return refuse(visitor, o.request, good.error().message);
  }
  if (visitor.observations.contains(o.request)) {
    return refuse(visitor, o.request, "that request is in use");
  }
  if (visitor.observations.size() >= Visitor::kMostObservations) {
    return refuse(visitor, o.request, "too many observations of one client");
  }
  // It is told only while it is a visitor: on_gone() ends the observation.
  visitor.observations[o.request] = host_.waiters.campaigns().observe(
      o.name, [&visitor, request = o.request](const auto& leader) {
        visitor.tell(session::Observed{request, leader});
      });
}

void Clients::end_observation(Visitor& visitor, session::RequestId request) {
  const auto observation = visitor.observations.extract(request);
  if (observation) host_.waiters.campaigns().watch().unobserve(observation.mapped());
}

// --- for people ---

void Clients::on(Visitor& visitor, session::Who&& asked) {
  // Of a pattern it sees what it may.
  const std::string one = is_pattern(asked.name) ? "" : asked.name;
  if (forbids(visitor, asked.request, Right::read, "see who holds and who waits", one)) return;
  // It is told only while it is a visitor: on_gone() has the question forgotten.
  const auto tell = [this, &visitor, request = asked.request](session::Locks&& locks) {
    std::erase_if(locks.locks, [&](const session::Lock& lock) {
      return !host_.roles.may(visitor.caller(), Right::read, lock.name);
    });
    locks.request = request;
    visitor.tell(locks);
  };
  if (const auto done = host_.inquiries.ask(&visitor, asked.name, tell); !done) {
    refuse(visitor, asked.request, done.error().message);
  }
}

void Clients::on(Visitor& visitor, session::AskState&& s) {
  if (s.all && forbids(visitor, s.request, Right::read, "see how all members are")) return;
  const auto tell = [this, &visitor, request = s.request](std::optional<session::Reports> all) {
    session::State answer = host_.state();
    answer.request = request;
    answer.all = std::move(all);
    visitor.tell(answer);
  };
  if (!s.all) return tell(std::nullopt);
  // It is told only while it is a visitor: on_gone() has the question forgotten.
  if (const auto asked = host_.inquiries.ask_how_all_are(&visitor, tell); !asked) {
    refuse(visitor, s.request, asked.error().message);
  }
}

void Clients::on(Visitor& visitor, session::AskStats&& s) {
  if (forbids(visitor, s.request, Right::read, "see what was counted")) return;
  session::Stats answer = host_.stats();
  answer.request = s.request;
  visitor.tell(answer);
}

void Clients::on(Visitor& visitor, session::Ping&& p) {
  session::Pong pong{p.request, std::nullopt};
  if (const auto left = host_.group.lease_left()) {
    pong.lease_ms = static_cast<std::uint64_t>(*left / std::chrono::milliseconds{1});
  }
  visitor.tell(pong);
}

void Clients::on(Visitor& visitor, session::Leave&& l) {
  if (forbids(visitor, l.request, Right::administer, "leave the group and end")) return;
  constexpr std::uint64_t kLongest = 3'600'000;
  const std::chrono::milliseconds patience{std::min(l.patience_ms, kLongest)};
  told_to_leave_.emplace_back(visitor.weak_from_this(), l.request);
  if (const auto going = host_.leave(patience); !going) {
    told_to_leave_.pop_back();
    refuse(visitor, l.request, going.error().message);
  }
}

void Clients::on(Visitor& visitor, session::Evict&& e) {
  constexpr std::array kVerbs{"evict ", "ban ", "unban "};
  const char* verb = kVerbs[static_cast<std::size_t>(e.kind)];
  if (forbids(visitor, e.request, Right::administer, verb + e.whom)) return;
  host_.evict(e, tell_outcome(visitor, e.request, std::nullopt));
}

void Clients::on(Visitor& visitor, session::Break&& b) {
  if (forbids(visitor, b.request, Right::administer, "break " + b.name)) return;
  if (const auto good = check_lock_name(b.name); !good) {
    return refuse(visitor, b.request, good.error().message);
  }
  host_.breaking.ask(b.name, b.fence, visitor.caller().text(),
                     tell_outcome(visitor, b.request, std::nullopt));
}

void Clients::on(Visitor& visitor, session::AskSettings&& a) {
  if (forbids(visitor, a.request, Right::read, "see the settings of the group")) return;
  visitor.tell(session::Told{a.request, host_.settings()});
}

void Clients::on(Visitor& visitor, session::SetSettings&& s) {
  std::string what = "set";
  if (s.ttl_ms) what += fmt::format(" TTL {} ms", *s.ttl_ms);
  if (s.fallback) what += " default " + *s.fallback;
  if (s.rules) what += fmt::format(" rules {}", fmt::join(*s.rules, ", "));
  if (forbids(visitor, s.request, Right::administer, what)) return;
  host_.set_settings(s, visitor.caller().text(), tell_text(visitor, s.request));
}

void Clients::on(Visitor& visitor, session::AskBackup&& a) {
  if (forbids(visitor, a.request, Right::administer, "copy what the engine keeps")) return;
  host_.backup(tell_text(visitor, a.request));
}

void Clients::on(Visitor& visitor, session::AskPage&& a) {
  if (forbids(visitor, a.request, Right::read, "look at the live page")) return;
  tell_text(visitor, a.request)(host_.page(visitor.caller()));
}

void Clients::on(Visitor& visitor, session::AskRecording&& a) {
  if (forbids(visitor, a.request, Right::read, "record " + a.name, a.name)) return;
  const auto tell = tell_text(visitor, a.request);
  const auto tell_bytes = [tell](const Result<session::Recording>& recording) {
    if (!recording) return tell(recording.error());
    const Bytes bytes = encode(*recording);
    // Spelled out for g++, which does not see that it is no error.
    tell(Result<std::string>{boost::system::in_place_value, bytes.begin(), bytes.end()});
  };
  const std::chrono::milliseconds duration{std::min(a.for_ms, session::kLongestRecordingMs)};
  const auto begun = host_.recordings.record(a.name, duration, tell_bytes);
  if (!begun) refuse(visitor, a.request, begun.error().message);
}

std::function<void(const Result<std::string>&)> Clients::tell_text(Visitor& visitor,
                                                                   session::RequestId request) {
  return [this, request, who = std::weak_ptr{visitor.shared()}](const Result<std::string>& text) {
    const auto there = who.lock();
    if (!there || !visitors_.contains(there)) return;
    if (!text) return refuse(*there, request, text.error().message);
    there->tell(session::Told{request, *text});
  };
}

// --- files ---

std::function<void(const session::Answer&)> Clients::tell_if_here(Visitor& visitor) {
  return [this, who = std::weak_ptr{visitor.shared()}](const session::Answer& answer) {
    const auto there = who.lock();
    if (!there || !visitors_.contains(there)) return;
    const auto may_read = [&](const std::string& name) {
      return name.empty() || host_.roles.may(there->caller(), Right::read, name);
    };
    if (const auto* names = std::get_if<session::FileNames>(&answer)) {
      session::FileNames seen = *names;
      std::erase_if(seen.files, [&](const auto& file) { return !may_read(file.path); });
      there->tell(seen);
    } else if (const auto* told = std::get_if<session::EventsTold>(&answer)) {
      session::EventsTold seen = *told;
      std::erase_if(seen.events, [&](const auto& event) { return !may_read(event.name); });
      there->tell(seen);
    } else {
      there->tell(answer);
    }
  };
}

void Clients::on_file(Visitor& visitor, FileAsk&& any) {
  std::visit(
      [&](auto&& ask) {
        using This = std::decay_t<decltype(ask)>;
        constexpr bool is_list =
            std::is_same_v<This, session::FileList> || std::is_same_v<This, session::AskEvents>;
        constexpr bool is_read = is_list || std::is_same_v<This, session::FileGet>;
        // Of a folder it sees what it may.
        if (forbids(visitor, ask.request, is_read ? Right::read : Right::lock,
                    (is_read ? "read file " : "write file ") + ask.path, is_list ? "" : ask.path)) {
          return;
        }
        if (!visitor.files) visitor.files = host_.files.begin_session();
        host_.files.serve(*visitor.files, std::forward<decltype(ask)>(ask), tell_if_here(visitor));
      },
      std::move(any));
}

void Clients::on(Visitor& visitor, session::AskStamps&& ask) {
  if (forbids(visitor, ask.request, Right::read, "see when files change")) return;
  if (visitor.is_behind_tcp()) return refuse(visitor, ask.request, "only on this machine");
  tell_text(visitor, ask.request)(host_.files.stamps());
}

void Clients::on(Visitor& visitor, session::FenceCheck&& ask) {
  if (forbids(visitor, ask.request, Right::read, "see who holds " + ask.name, ask.name)) return;
  host_.files.check_fence(ask, tell_if_here(visitor));
}

}  // namespace hapax
