// What a driver does with the keeper and the lock of each process, and the links between them; it
// is what a daemon does, for one lock, with nothing left of real time but whose lease is over.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "core/instance.h"
#include "core/view.h"
#include "view/keeper.h"
#include "viewcheck/view_options.h"
#include "viewcheck/view_parts.h"

namespace hapax {

class ViewDriver {
 public:
  using Link = std::vector<Parcel>;

  struct Failure {
    std::string_view property;
    std::string text;
  };

  std::vector<Process> processes;
  std::vector<Link> links;  // From i to j: i * n + j.
  Commons commons;
  // Which of the parts above a step has changed, for the model.
  std::uint64_t touched_processes = 0;
  std::uint64_t touched_links = 0;
  bool touched_commons = false;
  std::optional<Failure> failure;

  Link& link(std::uint32_t from, std::uint32_t to) { return links[from * n_ + to]; }

  // Whether one may ask for different things, and what the plain request is for.
  bool has_modes() const { return algorithm_.modes.size() > 1; }
  Mode first_mode() const { return algorithm_.modes.front(); }

 protected:
  ViewDriver(const Operations& algorithm, const ViewCheckOptions& options)
      : algorithm_(algorithm),
        options_(options),
        choices_{.units = options.units},
        capacity_(Instance{algorithm, View{}, choices_}.capacity()),
        n_(options.n) {}

  static constexpr std::uint32_t kHash = 7;  // Of the lock's name: its home is kHash % size.

  Life life_of(std::uint32_t i, std::uint32_t life) const { return Life{i + n_ * life + 1}; }
  std::uint32_t process_of(Life life) const;
  bool is_marked(Life life) const;
  Process& touch(std::uint32_t i);
  Commons& touch_commons();
  Link& touch_link(std::uint32_t from, std::uint32_t to);
  void pop(std::uint32_t from, std::uint32_t i);
  void clear_links_to(std::uint32_t i);
  template <class... Args>
  void fail(std::string_view property, fmt::format_string<Args...> format, Args... who) {
    if (!failure) failure = Failure{property, fmt::format(format, (who + 1)...)};
  }

  void carry_out(std::uint32_t i, const Keeper::Effects& effects);
  bool keeps_instance() const;
  void stop(std::uint32_t i);
  void report(std::uint32_t i);
  void begin(std::uint32_t i);

  // `here`: what is held at this member. Those that let several in ask the others for the rest.
  Instance make_lock(const View& view, const Holding& here) const;

  void be_reborn(std::uint32_t i);
  void leave_ghost(std::uint32_t i);
  void forget_view(std::uint32_t i);

  bool may_request(const Process& p) const;
  void request(std::uint32_t i);
  // The client has left, or has been told that it is lost.
  void give_back(std::uint32_t i);

  // What a step of the algorithm left to do.
  void settle(std::uint32_t i);

  void grant(std::uint32_t i, Turn turn);
  void check_fence(std::uint32_t i);

  // What has been sent to a life that is over never arrives. What would be dropped on arrival is
  // dropped at once: nobody can tell the difference.
  bool drops_at_once() const;
  void send(std::uint32_t i, Life to, Parcel parcel);
  Epoch epoch_of(std::uint32_t i) const;
  void drop_what_is_old(std::uint32_t i);

  const Operations& algorithm_;
  ViewCheckOptions options_;
  MutexChoices choices_;
  std::uint32_t capacity_;  // How many may be inside at a time, shared.
  std::uint32_t n_;
  InstanceEffects fx_;
};

}  // namespace hapax
