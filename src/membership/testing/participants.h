// Members of a group on an engine that tests pull the strings of, all in this process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/boot_clock.h"
#include "base/testing/free_port.h"
#include "engine/fake.h"
#include "loop/loop.h"
#include "membership/engine_group.h"
#include "membership/testing/quiet_host.h"
#include "records/directory.h"

namespace hapax::testing_members {

using std::chrono::milliseconds;

inline const StatePlan kNewGroup{.path = "", .is_new_group = true};

// A member, and who holds what at it.
struct Participant final : QuietHost {
  Participant(Loop& io, engine::FakeServer& server, std::string name,
              milliseconds ttl = milliseconds{600},
              std::optional<std::uint32_t> own_seat = std::nullopt,
              const StatePlan& state = kNewGroup)
      : engine(engine::open_fake(io, server)), port(testing::free_port()) {
    GroupOptions options;
    options.listen = net::parse_address(fmt::format("127.0.0.1:{}", port)).value();
    options.is_insecure = true;
    options.name = std::move(name);
    options.times.ttl = ttl;
    options.seat = own_seat;
    options.state = state;
    auto made = EngineGroup::create(io, std::move(options), *engine, *this);
    group = std::move(made.value());
    EXPECT_TRUE(group->start().has_value());
  }

  void on_granted(const Grant& grant) override {
    held.insert(grant.waiter);
    fence = grant.fence;
  }
  void on_lost(WaiterId waiter) override {
    held.erase(waiter);
    lost.insert(waiter);
  }
  void on_recalled(WaiterId waiter) override { recalled.insert(waiter); }
  void on_leased(Instant until) override { promised = until; }

  std::unique_ptr<engine::Engine> engine;
  std::uint16_t port;
  std::unique_ptr<EngineGroup> group;
  std::set<WaiterId> held, lost, recalled;
  Fence fence;
  Instant promised{};  // To its clients.

  std::size_t members() const {
    const Keeper& keeper = group->service().keeper();
    return keeper.standing() == Standing::running ? keeper.roll().members.size() : 0;
  }
  Epoch epoch() const { return group->service().keeper().roll().epoch; }
};

class Groups : public ::testing::Test {
 protected:
  template <class Done>
  bool until(Done done, milliseconds patience = milliseconds{15'000}) {
    const Instant end = boot_clock_now() + patience;
    while (!done()) {
      if (boot_clock_now() > end) return false;
      io.restart();
      io.run_one_for(milliseconds{5});
    }
    return true;
  }
  void join(std::size_t count, const StatePlan& state = kNewGroup) {
    for (std::size_t i = seats.size(); i < count; ++i) {
      seats.push_back(std::make_unique<Participant>(io, server, fmt::format("host-{}", i),
                                                    milliseconds{600}, std::nullopt, state));
    }
  }
  bool acquire(std::size_t seat, WaiterId waiter) {
    return seats[seat]->group->acquire("orders", waiter).has_value() &&
           until([&] { return seats[seat]->held.contains(waiter); });
  }
  bool all_in_one_view(std::size_t size) const {
    for (const auto& seat : seats) {
      if (seat && (seat->members() != size || seat->epoch() != front().epoch())) return false;
    }
    return true;
  }
  const Participant& front() const {
    for (const auto& seat : seats) {
      if (seat) return *seat;
    }
    return *seats.front();
  }
  std::string logs() const {
    std::string text;
    for (const auto& seat : seats) {
      for (const auto& line : seat ? seat->lines : std::vector<std::string>{}) text += line + '\n';
      text += '\n';
    }
    return text;
  }

  Loop io;
  engine::FakeServer server;
  std::vector<std::unique_ptr<Participant>> seats;
};

}  // namespace hapax::testing_members
