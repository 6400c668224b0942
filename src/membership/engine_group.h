// A group whose members find one another, and agree on their views, through an engine: enlisting,
// beating, coming and going. What a member that dies has held is free when its lease is over.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "loop/timer.h"
#include "membership/group.h"
#include "membership/member_state.h"
#include "membership/registrar.h"
#include "membership/settings_changer.h"
#include "membership/upkeep.h"
#include "news/lease_news.h"
#include "service/service.h"

namespace hapax {

struct EnlistedMember {
  Enlisted who;
  bool is_member = false;  // Of the view.
  bool is_self = false;
  bool is_up = false;  // Connected to us.
  bool is_evicted = false;
};

class EngineGroup final : public Group {
 public:
  // Refuses options that make no sense. REQUIRES: engine and host outlive it.
  static Result<std::unique_ptr<EngineGroup>> create(Loop& io, GroupOptions options,
                                                     engine::Engine& engine, MemberHost& host);
  ~EngineGroup() override;

  Result<void> start() override;  // Begins to enlist: see is_enlisted().
  void stop() override;
  void leave(Span patience) override;

  const MemberViews& views() const override { return service_.views(); }
  // It stays the same for all lives.
  Seat seat() const override { return Seat{registrar_.me().seat}; }
  std::vector<Seat> others() const override;
  std::optional<Span> lease_left() const override;
  std::string standing() const override;
  std::string name_at(Seat seat) const override;
  std::string obstacle() const override;
  std::vector<AwayMember> away() const override;

  using Other = EnlistedMember;
  std::vector<Other> enlisted() const;  // All that are, with ourselves.
  // By its name or its life; one that is banned does not come back, even if it is started again.
  // `done` with nothing, or what is wrong.
  enum class Return { allowed, banned };
  void evict(const std::string& whom, Return return_, std::function<void(std::string)> done);
  // By the name it had, or its seat as people count.
  void unban(const std::string& whom, std::function<void(std::string)> done);
  const Directory& directory() const { return registrar_.directory(); }
  const SettingsChanger& settings() const { return settings_; }
  void set_settings(SettingsChanger::Asked asked, SettingsChanger::Done done);
  void back_up(std::function<void(Result<Backup>)> done);
  const Service& service() const { return service_; }
  engine::Health health() const;
  // A sentence about an engine that does not answer; empty if it does.
  std::string engine_trouble() const;
  bool is_in_jeopardy() const;
  // Why we are not let in; empty if nothing is wrong.
  const std::string& refusal() const { return refusal_; }
  bool is_enlisted() const { return number(registrar_.me().life) != 0; }

 private:
  EngineGroup(Loop& io, GroupOptions options, engine::Engine& engine, MemberHost& host);

  Registrar::Handlers registrar_handlers();
  Result<void> recall();
  void restore();
  void remember(Epoch epoch);
  bool may_have_lost_all() const;  // The engine, what it knew of a group by this name.
  void note_if_older(const Register& reg);
  void note_eviction(const Directory& directory);
  void on_went_back();
  void enlist();
  void open_links();
  void on_enlisted(const Enlisted& me);
  void on_directory(const Directory& directory);
  void on_view();
  void on_time();
  void arm();
  void drain();
  void tell_news(Instant now);
  void take_settings();
  void follow_settings();
  void follow_ttl(const SetSettings& set);
  Span longest_ttl() const;

  Result<void> ask(std::string_view name, WaiterId waiter, Want want) override;
  Result<void> give_back(std::string_view name, WaiterId waiter, std::optional<Turn> last) override;
  Result<void> withdraw(std::string_view name, WaiterId waiter) override;
  void take_away(const std::string& name, WaiterId waiter) override;
  void on_frame(Life from, std::span<const std::uint8_t> frame) override;
  void on_up(Seat seat, Life life) override;
  void on_down(Seat) override {}
  void on_link_broken() override;
  void prepare(const Orders&) override { remember(epoch()); }
  void conclude(const Orders& orders) override;
  void see_to_membership() override;
  std::string name_for(Life life) const override;
  std::string why_gone(Life life) const override;

  Service service_;
  Registrar registrar_;
  Upkeep upkeep_;
  SettingsChanger settings_;
  LeaseNews lease_news_;
  Timer timer_;
  Timer seat_timer_;
  Instant armed_{};
  std::set<Seat> seats_in_view_;   // As the last view began.
  std::optional<StateFile> file_;  // None: nothing is remembered across runs.
  Epoch seen_{};                   // The highest, in this run or an earlier one.
  bool is_older_ = false;          // The register, than what was seen.
  std::string notice_;             // About the engine, for people.
  std::string refusal_;
  Life evicted_{};             // Ours that was, last; it has been said.
  std::string cannot_listen_;  // Why, if so; said once.
  bool has_left_ = false;      // It was nowhere to leave from.
  std::optional<Instant> leaving_until_;
};

}  // namespace hapax
