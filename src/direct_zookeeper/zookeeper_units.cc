// Semaphores, as Curator's InterProcessSemaphoreV2 has them. Below the znode of the name:
//
//   locks/_c_GUID-lock-N     a line of those who want a unit
//   leases/_c_GUID-lease-N   the units that are taken; and that of the first in line, who waits
//
// The first in line makes its lease, waits until there are no more leases than units, and then
// leaves the line. Whoever is inside has a lease, and counted all of them, its own too, on
// entering: so there are never more inside than units.
#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <zookeeper/zookeeper.h>

#include "direct_zookeeper/zookeeper_lines.h"

namespace hapax::direct {
namespace {

constexpr std::string_view kLocks = "/locks", kLeases = "/leases";

// Those of one contender, with their folder.
std::vector<std::string> with_guid(const std::vector<std::string>& nodes, const std::string& folder,
                                   const std::string& guid) {
  std::vector<std::string> own;
  for (const std::string& node : nodes) {
    if (node.find(guid) != std::string::npos) own.push_back(folder + "/" + node);
  }
  return own;
}

bool is_there(ZooCode code) { return code == ZOK || code == ZNONODE; }

}  // namespace

std::string ZooKeeperLines::folder_of(const Contender& contender) const {
  return path_of(contender.name) + std::string{contender.want == Want::unit ? kLocks : ""};
}

std::string ZooKeeperLines::leases_of(const std::string& name) const {
  return path_of(name) + std::string{kLeases};
}

Want ZooKeeperLines::meant_by(const std::string& name, Want want) const {
  if (want != Want::any) return want;
  return units_.of(name) > 0 ? Want::unit : Want::exclusive;
}

std::string ZooKeeperLines::objection_to(const Contender& contender) const {
  const bool is_semaphore = units_.of(contender.name) > 0;
  if (contender.want == Want::unit && !is_semaphore) {
    return "ZooKeeper does not know how many units " + contender.name +
           " has: say it, --engine-units 'NAME=NUMBER'";
  }
  if (contender.want != Want::unit && is_semaphore) {
    return contender.name + " is a semaphore (--engine-units)";
  }
  return {};
}

// Of one that is the first in its line, or is not in it any more.
void ZooKeeperLines::look_for_unit(const Contender& contender, const Standing& standing,
                                   bool is_in_line, Then<Standing> then) {
  if (!unsure_.contains(contender.number)) {
    return count_leases(contender, standing, is_in_line, std::move(then));
  }
  // A lease may have been made: its own session sees that, at the latest after a sync.
  handle_->sync([this, contender, standing, is_in_line,
                 then = std::move(then)](const ZooReply& synced) mutable {
    if (synced.code != ZOK) return then(trouble_of(synced.code));
    unsure_.erase(contender.number);
    count_leases(contender, standing, is_in_line, std::move(then));
  });
}

void ZooKeeperLines::count_leases(const Contender& contender, const Standing& standing,
                                  bool is_in_line, Then<Standing> then) {
  const std::string leases = leases_of(contender.name);
  handle_->children(
      leases, false, [=, this, then = std::move(then)](const ZooReply& reply) mutable {
        if (!is_there(reply.code)) return then(trouble_of(reply.code));
        const auto own = with_guid(reply.names, leases, guid_of(contender));
        const bool is_gone =
            leaving_units_.contains(contender.number) || (own.empty() && !is_in_line);
        if (is_gone) return then(Standing{standing.place, standing.fence, true});
        if (own.empty()) return make_lease(contender, standing, std::move(then));
        const bool has_room = reply.names.size() <= units_.of(contender.name);
        handle_->exists(own.front(), false,
                        [=, this, then = std::move(then)](const ZooReply& lease) mutable {
                          if (lease.code == ZNONODE)
                            return then(Standing{standing.place, standing.fence, true});
                          if (lease.code != ZOK) return then(trouble_of(lease.code));
                          Standing now{own.front() + '\n', fence_of_czxid(lease.czxid)};
                          // One that holds it has counted before.
                          const bool is_held = standing.place == now.place;
                          if (!is_in_line && (has_room || is_held)) return then(std::move(now));
                          if (has_room)
                            return leave_line(contender, std::move(now), std::move(then));
                          now.before = leases;
                          now.place.clear();  // It holds nothing yet.
                          then(std::move(now));
                        });
      });
}

void ZooKeeperLines::make_lease(const Contender& contender, const Standing& standing,
                                Then<Standing> then) {
  const std::string leases = leases_of(contender.name);
  const std::string lease = fmt::format("{}/_c_{}-lease-", leases, guid_of(contender));
  handle_->create_in_line(
      {lease}, contender.value,
      [this, contender, standing, leases, then = std::move(then)](const ZooReply& reply) mutable {
        if (reply.code == ZNONODE) {
          return make_folder(
              leases, 0, [this, contender, standing, then = std::move(then)](ZooCode code) mutable {
                if (code != ZOK) return then(trouble_of(code));
                count_leases(contender, standing, true, std::move(then));
              });
        }
        if (reply.code != ZOK) {
          const Trouble trouble = trouble_of(reply.code);
          if (trouble.kind == Trouble::Kind::unknown) unsure_.insert(contender.number);
          return then(trouble);
        }
        count_leases(contender, standing, true, std::move(then));
      });
}

// It has its unit: the next in line may ask for one.
void ZooKeeperLines::leave_line(const Contender& contender, Standing standing,
                                Then<Standing> then) {
  const std::string folder = folder_of(contender);
  handle_->children(folder, false,
                    [this, contender, folder, standing = std::move(standing),
                     then = std::move(then)](const ZooReply& reply) mutable {
                      if (!is_there(reply.code)) return then(trouble_of(reply.code));
                      const auto own = with_guid(reply.names, folder, guid_of(contender));
                      if (own.empty()) return then(std::move(standing));
                      handle_->remove(own,
                                      [this, standing = std::move(standing),
                                       then = std::move(then)](const ZooReply& removed) mutable {
                                        if (!is_there(removed.code))
                                          return then(trouble_of(removed.code));
                                        then(std::move(standing));
                                      });
                    });
}

// What it has made is looked for: a lease may have been made of which it was not told yet. What
// was asked for before this is done before this.
void ZooKeeperLines::leave_unit(const Contender& contender, Then<bool> then) {
  leaving_units_.insert(contender.number);
  const auto done = [this, number = contender.number, then = std::move(then)](ZooCode code) {
    if (!is_there(code)) return then(trouble_of(code));
    leaving_units_.erase(number);
    unsure_.erase(number);
    then(true);
  };
  const auto remove_all = [this, contender, done] {
    remove_own(contender, folder_of(contender), [this, contender, done](ZooCode code) {
      if (!is_there(code)) return done(code);
      remove_own(contender, leases_of(contender.name), done);
    });
  };
  if (!unsure_.contains(contender.number)) return remove_all();
  handle_->sync([remove_all, done](const ZooReply& synced) {
    synced.code == ZOK ? remove_all() : done(synced.code);
  });
}

void ZooKeeperLines::remove_own(const Contender& contender, const std::string& folder,
                                const std::function<void(ZooCode)>& then) {
  handle_->children(folder, false, [this, contender, folder, then](const ZooReply& reply) {
    const auto own = with_guid(reply.names, folder, guid_of(contender));
    if (reply.code != ZOK || own.empty()) return then(reply.code);
    handle_->remove(own, [then](const ZooReply& removed) { then(removed.code); });
  });
}

std::unique_ptr<Watch> ZooKeeperLines::await_room(const Contender& contender,
                                                  const std::string& leases,
                                                  std::function<void(std::uint64_t)> then) {
  const std::uint32_t units = units_.of(contender.name);
  handle_->children(leases, true, [then, units](const ZooReply& reply) {
    if (reply.code != ZOK || reply.names.size() <= units) then(0);
  });
  return watch(leases, [then = std::move(then)] { then(0); });
}

// Who is in line waits, whether it has a lease or not.
void ZooKeeperLines::describe_semaphore(const std::string& name, Then<LockInfo> then) {
  Contender nobody{name, Want::unit};
  const std::string folder = folder_of(nobody), leases = leases_of(name);
  handle().children(folder, false, [=, this, then = std::move(then)](const ZooReply& line) mutable {
    if (!is_there(line.code)) return then(trouble_of(line.code));
    handle().children(
        leases, false, [=, this, then = std::move(then)](const ZooReply& taken) mutable {
          if (!is_there(taken.code)) return then(trouble_of(taken.code));
          const auto waiting = line_of(line.names);
          std::vector<Spelled> all;
          for (Spelled& one : leases_in(taken.names)) {
            const bool waits = std::any_of(waiting.begin(), waiting.end(),
                                           [&](const auto& w) { return w.owner == one.owner; });
            one.node = leases + "/" + one.node;
            if (!waits) all.push_back(std::move(one));
          }
          for (const Spelled& one : waiting) {
            all.push_back({folder + "/" + one.node, one.owner, one.sequence, false});
          }
          LockInfo lock;
          lock.name = name;
          lock.algorithm = "zookeeper";
          std::reverse(all.begin(), all.end());
          describe_next(std::move(all), std::move(lock), std::move(then));
        });
  });
}

}  // namespace hapax::direct
