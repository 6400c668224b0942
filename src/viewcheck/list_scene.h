// A fixed list of members with one lock, and what can happen to it, step by step: list_model.h lets
// the search do all of it in every order. The members are the product's own (service/list_views.h),
// and so are the frames between them. A rule is left out from outside: by withholding, forging or
// changing what a member is told.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record.h"
#include "core/fence.h"
#include "core/instance.h"
#include "core/mutex_algorithm.h"
#include "search/parts.h"
#include "service/list_views.h"
#include "service/orders.h"
#include "view/roll.h"
#include "viewcheck/list_rules.h"
#include "wire/codec.h"

namespace hapax {

struct ListCheckOptions {
  std::uint32_t n = 3;
  std::uint32_t entries = 1;   // How often each asks.
  std::uint32_t restarts = 1;  // Of all members together.
  std::uint32_t flaps = 0;     // Links that break although both ends live.
  bool files_may_go = false;   // A restarted member may have lost its state file.
  std::optional<ListRule> without{};
  std::uint64_t most_bytes = std::uint64_t{4} << 30;

  bool leaves_out(ListRule rule) const { return without == rule; }
};

struct ListProcess {
  std::uint32_t member = 0;  // Its ListViews, by number. Of one that is down: as it was.
  bool alive = true;
  Epoch written{};  // In its state file.
  Phase client = Phase::idle;
  std::uint8_t left = 0;  // How often it may still ask.
  std::uint8_t lives = 1;
  bool ghost_inside = false;  // The client of the life before has not noticed yet.
  HAPAX_RECORD(ListProcess, member, alive, written, client, left, lives, ghost_inside)
};

struct ListParcel {
  Life from{};
  std::uint32_t frame = 0;  // By number.
  HAPAX_RECORD(ListParcel, from, frame)
};

struct ListCommons {
  Fence last;                                 // The highest given out.
  std::vector<std::pair<Epoch, Roll>> begun;  // What each epoch meant.
  std::uint8_t restarts = 0;                  // Left.
  std::uint8_t flaps = 0;
  HAPAX_RECORD(ListCommons, last, begun, restarts, flaps)
};

class ListScene {
 public:
  using Link = std::vector<ListParcel>;
  struct Failure {
    std::string_view property;
    std::string text;
  };

  ListScene(const Operations& algorithm, const ListCheckOptions& options);
  ListScene(const ListScene&) = delete;
  ListScene& operator=(const ListScene&) = delete;

  std::vector<ListProcess> processes;
  std::vector<Link> links;  // From i to j: i * n + j.
  ListCommons commons;
  std::optional<Failure> failure;

  bool can_ask(std::uint32_t i) const;
  void ask(std::uint32_t i);
  void exit(std::uint32_t i);
  // It wants to report for an epoch: that is written down, and it does.
  bool can_write(std::uint32_t i) const;
  void write(std::uint32_t i);
  // One end of a link at a time notices who is at the other, or that nobody is.
  bool can_meet(std::uint32_t i, std::uint32_t j) const;
  void meet(std::uint32_t i, std::uint32_t j);
  bool can_part(std::uint32_t i, std::uint32_t j) const;
  void part(std::uint32_t i, std::uint32_t j);
  bool can_flap(std::uint32_t i, std::uint32_t j) const;
  void flap(std::uint32_t i, std::uint32_t j);
  bool can_deliver(std::uint32_t from, std::uint32_t i) const;
  void deliver(std::uint32_t from, std::uint32_t i);
  void crash(std::uint32_t i);
  void restart(std::uint32_t i, bool file_is_gone);
  void notice(std::uint32_t i) { processes[i].ghost_inside = false; }

  const ListViews& member(std::uint32_t i) const { return members_[processes[i].member]; }
  const Bytes& frame(const ListParcel& parcel) const { return frames_[parcel.frame]; }

 private:
  struct Reaction {
    std::uint32_t member = 0;
    std::vector<std::pair<Life, std::uint32_t>> sends;
    std::optional<Fence> granted;
    bool begun = false;
    std::string complaint;
  };
  struct Input {
    enum class Kind : std::uint8_t { acquire, release, write, meet, part, frame };
    std::uint32_t member = 0;
    Kind kind{};
    std::uint64_t first = 0, second = 0;
    HAPAX_RECORD(Input, member, kind, first, second)
    friend constexpr bool is_valid(Kind k) { return k <= Kind::frame; }
  };
  class AllInside final : public Holders {
    bool is_inside(WaiterId) override { return true; }
  };

  bool leaves_out(ListRule rule) const { return options_.leaves_out(rule); }
  Life life_of(std::uint32_t i) const { return Life{i + options_.n * processes[i].lives + 1}; }
  bool takes_part(std::uint32_t i) const;
  Life met_by(std::uint32_t i, std::uint32_t j) const;
  std::uint32_t born(std::uint32_t i);
  template <class Act>
  void react(std::uint32_t i, Input::Kind kind, std::uint64_t first, std::uint64_t second,
             Act&& act);
  void forge_reports(ListViews& member, ViewOrders& orders) const;
  void take(std::uint32_t i, const Reaction& reaction);
  void grant(std::uint32_t i, Fence fence);
  void note_begin(std::uint32_t i);
  std::uint32_t number_of(const ListViews& member);
  std::uint32_t number_of_frame(std::span<const std::uint8_t> bytes);
  template <class... Args>
  void fail(std::string_view property, fmt::format_string<Args...> format, Args... who) {
    if (!failure) failure = Failure{property, fmt::format(format, (who + 1)...)};
  }

  const Operations& algorithm_;
  ListCheckOptions options_;
  AllInside holders_;
  Parts<ListViews> members_;
  Parts<Bytes> frames_;
  Parts<Reaction> reactions_;
  ViewOrders orders_;
  Bytes key_;
};

}  // namespace hapax
