// The group's records in the engine, as people see them with the engine's own tools, and as the
// keeper wants them.
//
//   settings     what all members must have in common, as people read it; or, if it was set while
//                they ran: {"ttl_ms":3000,"algorithms":"maekawa","by":…} (records/settings.h)
//   lives        the number of the last life that was given out
//   view         {"epoch":3,"members":[1,4],"after":[1,2]}, "algorithms" with it if they were set
//   life/4 {"seat":1,"address":"10.0.0.2:7400","name":"db2","announced":true,"beat":17,"reached":2}
//                "ttl_ms" with it, if it is to be waited for longer or shorter than a TTL as the
//                members were started with
//   evicted/4    "by": who asked for it
//   banned/1     {"name":"db2","address":"10.0.0.2:7400","by":"db1"}: nobody is let in at that seat
//
// A life is enlisted first, so that the others find and dial it; it is announced when it is
// connected to everybody, and only then counts. Its record is its beat.
//
// Pure. What is in an engine may have been written by anybody: it is decoded strictly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/record.h"
#include "records/settings.h"
#include "view/roll.h"

namespace hapax {

// Members of a group at a time, and a few on their way.
inline constexpr std::uint32_t kSeats = Roll::kMostMembers;

struct Enlisted {
  Life life{};
  std::uint32_t seat = 0;  // Its number in the mesh, and in its certificate.
  std::string address;     // Where the other members reach it.
  std::string name;        // For people.
  bool announced = false;
  std::uint64_t beat = 0;     // Counts them.
  std::uint32_t reached = 0;  // How many other members of its view it is connected to.
  engine::Version version = 0;
  std::uint32_t ttl_ms = 0;  // As Beat has it.
};

// Who is not let in, until somebody says otherwise: whoever wants that seat, and whoever was
// there, at another one.
struct Ban {
  std::uint32_t seat = 0;
  std::string name, address;
  std::string by;  // The member that was asked.

  bool is_on(std::optional<std::uint32_t> wanted, std::string_view who,
             std::string_view where) const {
    return wanted == seat || (who == name && where == address);
  }
};

struct Directory {
  Register reg;  // The announced.
  std::vector<Enlisted> lives;
  std::vector<Life> evicted;
  std::map<Life, std::string> evicted_by;
  std::vector<Ban> bans;
  std::string settings;
  std::optional<SetSettings> set;  // What it says, if it was set while members ran.
  engine::Version settings_version = 0;
  std::uint64_t last_life = 0;
  engine::Version last_life_version = 0;
  engine::Revision revision = 0;

  const Enlisted* find(Life life) const;
  // It was one of this group, and the others have removed it: the numbers of lives only grow.
  bool is_over(Life life) const { return number(life) <= last_life && find(life) == nullptr; }
  // Whether the group runs with other settings. A group that nobody is left in takes new ones,
  // unless they were set while it ran: whoever comes takes those.
  bool differs_from(std::string_view settings) const;
  // The lowest that nobody has, and that is not banned.
  std::optional<std::uint32_t> free_seat() const;
};

// An error that names the record nobody of this version would write.
Result<Directory> directory_of(const engine::Snapshot& snapshot);

// Whether a commit only renews the beats of members that are known to be announced: nothing that
// cannot wait for the next reading.
bool is_only_beats(const engine::Commit& commit, const Directory& known);

struct Change {
  std::vector<engine::Condition> conditions;
  std::vector<engine::Write> writes;
};

// `me` as the next life, if nobody else has become it meanwhile. `starts_over`: settings that were
// set are forgotten. REQUIRES, of that: there are no lives.
// REQUIRES: the group has no other settings, but for such as were set.
Change enlisting(const Directory& now, const Enlisted& me, std::string_view settings,
                 bool starts_over = false);
// Announced, one beat further; if the record is still there and nobody has marked it.
Change beating(const Enlisted& me);
Change proposing(const Proposal& proposal);
// The next view goes by other settings; if nobody has changed view or settings since.
Change setting(const Directory& now, const Roll& next, const SetSettings& settings);
Change evicting(Life life, std::string_view by);
// The same, and it does not come back.
Change banning(const Enlisted& whom, std::string_view by);
Change lifting(const Ban& ban);
// A life that was not announced when it was read: no view has it. By itself, or by others because
// it has stood still.
Change striking(const Enlisted& unannounced);

}  // namespace hapax
