// Other settings for a group that runs: one commit makes a view of the same members by them, and
// whoever asked is told when it has begun. Tries again when somebody else was quicker. Told the
// time; all on the thread of the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "membership/registrar.h"
#include "records/settings.h"
#include "service/service.h"

namespace hapax {

class SettingsChanger {
 public:
  struct Asked {
    SettingsChange change;
    std::string by;
    Instant until{};  // It waits for the view to begin until then.
  };
  struct Begun {
    Epoch epoch{};
    std::vector<Life> missing{};  // Who has not reported for it yet; none: it has begun.
    std::string why{};            // Nothing could be changed in time, since …
  };
  using Done = std::function<void(Result<Begun>)>;

  // Whether all these are known to be of a release that goes by settings which are set while it
  // runs.
  using AllKnow = std::function<bool(const std::vector<Enlisted>&)>;

  // `given`: what this member was given at its start. REQUIRES: the others outlive it.
  SettingsChanger(const Service& service, Registrar& registrar, Settings given, AllKnow all_know)
      : service_(service),
        registrar_(registrar),
        given_(std::move(given)),
        all_know_(std::move(all_know)) {}

  const Settings& given() const { return given_; }
  // What the group goes by: what was set last, or what members were given.
  Settings in_force() const;
  const std::optional<SetSettings>& last_set() const { return registrar_.directory().set; }

  // `done` with what is wrong, or what became of it.
  void set(Asked asked, Done done);
  // To be called when anything has happened, and now and then.
  void look(Instant now);

 private:
  struct Pending {
    Asked asked;
    Done done;
    bool is_committing = false;
    std::optional<Epoch> epoch{};  // Committed.
  };

  bool may_propose() const;
  void propose(const std::shared_ptr<Pending>& pending);
  bool is_over(const Pending& pending, Instant now) const;
  void conclude(const Pending& pending) const;

  const Service& service_;
  Registrar& registrar_;
  const Settings given_;
  const AllKnow all_know_;
  std::vector<std::shared_ptr<Pending>> pending_;
};

}  // namespace hapax
