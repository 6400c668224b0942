// The view change with an algorithm inside, as a model for the search. A state is a row of numbers:
// one for each process, one for each link, one for what all share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/instance.h"
#include "search/model.h"
#include "search/parts.h"
#include "viewcheck/view_scene.h"

namespace hapax {

// A step of a process, `from`; or of a message, from one `to` the other: then `what` is the number
// of its link's contents.
enum class ViewStep : std::uint8_t {
  // What happens eventually if it stays possible.
  exit,
  hear,
  read,
  write,
  deliver,
  learn,
  propose,
  commit,
  wake,
  beat,
  rejoin,
  expire,
  expire_ghost,
  // What may happen or not.
  ask,
  ask_to_share,
  enter_again,
  die,
  join,
  pause,
  crash,
  restart,
  leave,
  evict,
  deletion,
  wiped,
  restored,
  set,
  follow,
  give_way,
  answer_lost,
  commit_lost,
  forget,
  deliver_twice,
  lose
};

class ViewModel final : public SearchModel {
 public:
  ViewModel(const Operations& algorithm, const ViewCheckOptions& options);

  std::uint32_t width() const override { return (parts() + 1) / 2; }
  void initial(std::uint64_t* row) override { pack(first_, row); }

  void expand(const std::uint64_t* row, Steps& steps) override;

  // Those that wait, alive and not on their way out.
  std::uint64_t waits(const std::uint64_t* row) const override;
  std::string dead_end(const std::uint64_t* row) const override;
  std::optional<std::uint32_t> fair_class(const SearchStep& step) const override;

  std::vector<std::string> tell(const std::vector<SearchStep>& way) override;

 private:
  std::uint32_t parts() const { return n_ + n_ * n_ + 1; }
  void pack(const std::vector<std::uint32_t>& from, std::uint64_t* row) const;
  const Process& process_at(const std::uint64_t* row, std::uint32_t i) const;

  void expand_process(Steps& steps, std::uint32_t i);
  void expand_engine(Steps& steps);
  void expand_link(Steps& steps, std::uint32_t from, std::uint32_t to);

  // Takes the step, hands it on, and puts everything back as it was.
  void step(Steps& steps, const SearchStep& step, const std::function<void()>& act);
  std::uint64_t insiders() const;
  void number_what_changed();
  void put_back();

  std::uint32_t number_of(const Process& process);
  std::uint32_t number_of(const Commons& commons);
  std::uint32_t number_of_link(const ViewScene::Link& link);
  std::string_view key() const { return {reinterpret_cast<const char*>(key_.data()), key_.size()}; }

  std::string tell_frame(std::uint32_t link) const;
  std::string tell(const SearchStep& step) const;

  const Operations& algorithm_;
  ViewCheckOptions options_;
  std::uint32_t n_;
  ViewScene scene_;
  Parts<Process> processes_;
  Parts<ViewScene::Link> links_;
  Parts<Commons> commons_;
  std::vector<std::uint32_t> first_, now_, next_;
  std::vector<std::uint64_t> packed_;
  std::vector<std::uint8_t> key_;
};

}  // namespace hapax
