// Histories for tests, written as a client would: one call per event.
#pragma once

#include <string>

#include "audit/judge.h"

namespace hapax::audit::testing {

class Notebook {
 public:
  struct Times {
    Nanos call, ret;
  };

  Event& acquire(const std::string& client, Times t, std::uint64_t turn) {
    Event& event = note(client, Op::acquire, t);
    event.fence = Fence{Epoch{1}, Turn{turn}};
    return event;
  }
  Event& release(const std::string& client, Times t) { return note(client, Op::release, t); }
  Event& lost(const std::string& client, Nanos at) { return note(client, Op::lost, {at, at}); }
  Event& end(const std::string& client, Nanos at) { return note(client, Op::end, {at, at}); }
  Event& read(const std::string& client, Times t, std::uint64_t turn, std::int64_t value) {
    return access(client, Op::read, t, turn, value);
  }
  Event& write(const std::string& client, Times t, std::uint64_t turn, std::int64_t value) {
    return access(client, Op::write, t, turn, value);
  }
  Event& wait(const std::string& client, Nanos call) {
    Event& event = note(client, Op::acquire, {call, call});
    event.ret.reset();
    return event;
  }

  Report judge() const {
    History history;
    for (const Named& named : events_) {
      Event event = named.event;
      event.client = history.client(named.client);
      event.lock = history.lock("a");
      history.add(event);
    }
    return audit::judge(history);
  }
  // How often each kind was found, as in "overlap 2"; empty if nothing was.
  std::string findings() const {
    const Report report = judge();
    std::string text;
    for (std::size_t i = 0; i < kKinds; ++i) {
      if (report.counts[i] == 0) continue;
      if (!text.empty()) text += ", ";
      text += fmt::format("{} {}", name_of(static_cast<Kind>(i)), report.counts[i]);
    }
    return text;
  }

  std::size_t size() const { return events_.size(); }
  Event& operator[](std::size_t i) { return events_[i].event; }
  void remove(std::size_t i) { events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(i)); }

 private:
  struct Named {
    std::string client;
    Event event;
  };

  Event& note(const std::string& client, Op op, Times t) {
    Event event;
    event.op = op;
    event.call = t.call;
    event.ret = t.ret;
    events_.push_back({client, event});
    return events_.back().event;
  }
  Event& access(const std::string& client, Op op, Times t, std::uint64_t turn, std::int64_t value) {
    Event& event = note(client, op, t);
    event.fence = Fence{Epoch{1}, Turn{turn}};
    event.value = value;
    return event;
  }

  std::vector<Named> events_;
};

}  // namespace hapax::audit::testing
