#include "direct_zookeeper/zookeeper_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <sstream>
#include <utility>
#include <zookeeper/zookeeper.h>

#include "base/boot_clock.h"
#include "base/glob.h"
#include "direct/introduction.h"
#include "direct/last_leader.h"
#include "loop/loop.h"

namespace hapax::direct {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kToConnect{4'000};
constexpr std::size_t kLongestPath = 800;  // With the name of a contender behind it, below 1 KiB.

// xxxxxxxx-xxxx-xxxx-xxxx-, as Curator's are.
std::string random_guid() {
  std::random_device random;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-", random(), random() & 0xffff, random() & 0xffff,
                     random() & 0xffff);
}

// Names, in one text: a lock's has no line breaks.
std::string joined(const std::vector<std::string>& paths) {
  std::string all;
  for (const std::string& path : paths) all += path + '\n';
  return all;
}
std::vector<std::string> split(const std::string& all) {
  std::vector<std::string> paths;
  std::istringstream lines{all};
  for (std::string path; std::getline(lines, path);) paths.push_back(path);
  return paths;
}

// What ZooKeeper takes for a path; its client frees twice what it refuses in a multi.
bool is_good_path(const std::string& path) {
  std::istringstream parts{path.substr(1) + "/"};
  for (std::string part; std::getline(parts, part, '/');) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return !path.starts_with("/zookeeper/") && path.size() < kLongestPath;
}

Trouble refused(std::string why) { return {Trouble::Kind::refused, std::move(why)}; }

}  // namespace

// Somebody who waits for an event at a path.
class ZooKeeperLines::PathWatch final : public Watch {
 public:
  PathWatch(ZooKeeperLines& lines, std::string path, std::function<void()> then)
      : lines_(lines), path_(std::move(path)), then_(std::move(then)) {
    lines_.watches_[path_].insert(this);
  }
  ~PathWatch() override {
    const auto at = lines_.watches_.find(path_);
    if (at == lines_.watches_.end()) return;
    at->second.erase(this);
    if (at->second.empty()) lines_.watches_.erase(at);
  }
  const std::function<void()>& then() const { return then_; }

 private:
  ZooKeeperLines& lines_;
  const std::string path_;
  const std::function<void()> then_;
};

ZooKeeperLines::ZooKeeperLines(Loop& io, std::string servers, std::string login, std::string root,
                               milliseconds ttl, Units units)
    : io_(io),
      servers_(std::move(servers)),
      login_(std::move(login)),
      root_(std::move(root)),
      ttl_(ttl),
      units_(std::move(units)),
      guid_(random_guid()) {}

// --- the session ---

template <class T>
void ZooKeeperLines::say_over(Then<T> then) {
  io_.post([then = std::move(then)] {
    then(Trouble{Trouble::Kind::over, "zookeeper: the session is over"});
  });
}

std::string ZooKeeperLines::trouble() const {
  return handle_ && handle_->is_connected() ? "" : "zookeeper: no server answers";
}

Trouble ZooKeeperLines::trouble_of(ZooCode code) const {
  switch (code) {
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
    case ZSESSIONMOVED:
      return {Trouble::Kind::over, "zookeeper: the session is over"};
    case ZNOAUTH:
    case ZAUTHFAILED:
      return refused("zookeeper: not allowed; see $HAPAX_ENGINE_USER");
    case ZBADARGUMENTS:
      return refused("zookeeper: no znode can have that name");
    case ZNOCHILDRENFOREPHEMERALS:
      return refused("zookeeper: the name leads below a contender's own znode");
    default:
      return {Trouble::Kind::unknown, fmt::format("zookeeper: {}", zerror(code))};
  }
}

ZooHandle& ZooKeeperLines::handle() {
  if (!handle_ || handle_->is_over()) {
    ++generation_;
    unsure_.clear();
    leaving_units_.clear();
    asked_ = counted_from_ = boot_clock_now();
    handle_ = std::make_unique<ZooHandle>(io_, servers_, login_, ttl_,
                                          [this](const std::string& path) { on_event(path); });
  }
  return *handle_;
}

void ZooKeeperLines::on_event(const std::string& path) {
  if (path.empty()) {
    if (!handle_->is_connected() && !handle_->is_over()) return;
    for (const auto& then : std::exchange(connecting_, {})) then(handle_->is_connected());
    if (handle_->is_connected()) return;  // It has kept its watches, and tells what it missed.
  }
  std::vector<std::function<void()>> told;
  for (const auto& [at, here] : watches_) {
    for (const PathWatch* watch : here) {
      if (path.empty() || at == path) told.push_back(watch->then());
    }
  }
  for (const auto& then : told) then();
}

void ZooKeeperLines::when_connected(std::function<void(bool)> then) {
  if (handle().is_connected()) {
    return io_.post([then = std::move(then)] { then(true); });
  }
  auto timer = std::make_shared<Timer>(io_, kToConnect);
  auto open = std::make_shared<std::function<void(bool)>>(std::move(then));
  const auto give = [open, timer](bool is_connected) {
    timer->cancel();
    if (const auto answer = std::exchange(*open, nullptr)) answer(is_connected);
  };
  timer->async_wait([give, alive = std::weak_ptr<int>{alive_}](auto cancelled) {
    if (!cancelled && !alive.expired()) give(false);
  });
  connecting_.push_back(give);
}

void ZooKeeperLines::open_session(milliseconds, Then<Session> then) {
  when_connected([this, then = std::move(then)](bool is_connected) {
    if (is_connected) return then(Session{generation_, handle_->ttl()});
    handle_.reset();  // A session is counted from when it was first asked for: so the next is new.
    then(Trouble{Trouble::Kind::unknown, trouble()});
  });
}

// A sync goes through the leader, which decides when a session is over; but the server in between
// tells it of our signs of life only now and then, and may die before it does. So the session is
// counted from a sync that was answered before the last one, and a while before.
void ZooKeeperLines::renew(const Session& session, Then<Session> then) {
  if (session.id != generation_ || !handle_ || handle_->is_over()) {
    return say_over(std::move(then));
  }
  const nanoseconds sent = boot_clock_now();
  handle_->sync([this, sent, session, then = std::move(then)](const ZooReply& reply) {
    if (reply.code != ZOK) return then(trouble_of(reply.code));
    const milliseconds ttl = handle_->ttl();
    if (sent - asked_ >= ttl / 4) {
      counted_from_ = asked_;
      asked_ = sent;
    }
    then(Session{session.id, ttl - std::chrono::ceil<milliseconds>(sent - counted_from_)});
  });
}

void ZooKeeperLines::close_session(const Session&, std::function<void()> then) {
  if (!handle_) return then();
  handle_->when_ended(std::move(then));
  handle_.reset();
}

// --- lines ---

std::string ZooKeeperLines::path_of(const std::string& name) const {
  return root_ + (name.starts_with('/') ? "" : "/") + name;
}

std::string ZooKeeperLines::guid_of(const Contender& contender) const {
  return fmt::format("{}{:012x}", guid_, contender.number);
}

// The folders of a path, from the one that begins at that slash.
void ZooKeeperLines::make_folder(const std::string& path, std::size_t from, Made then) {
  const std::size_t end = path.find('/', from + 1);
  const bool is_last = end == std::string::npos;
  // The line itself goes when nobody stands in it any more.
  handle().create(path.substr(0, end), is_last,
                  [this, path, end, is_last, then = std::move(then)](const ZooReply& reply) {
                    const bool is_there = reply.code == ZOK || reply.code == ZNODEEXISTS;
                    if (is_last || !is_there) return then(is_there ? ZOK : reply.code);
                    make_folder(path, end, then);
                  });
}

void ZooKeeperLines::join(const Session& session, const Contender& contender, Then<Standing> then) {
  if (session.id != generation_ || !handle_ || handle_->is_over()) {
    return say_over(std::move(then));
  }
  std::string why = objection_to(contender);
  if (why.empty() && !is_good_path(folder_of(contender))) {
    why = contender.name + " cannot be the path of a znode: name its parts, with a / between them";
  }
  if (!why.empty()) {
    return io_.post([then = std::move(then), why] { then(refused(why)); });
  }
  if (!unsure_.contains(contender.number)) return create(contender, std::move(then), true);
  // It may have been created: its own session sees that, at the latest after a sync.
  handle_->sync([this, contender, then = std::move(then)](const ZooReply& synced) mutable {
    if (synced.code != ZOK) return then(trouble_of(synced.code));
    find_own(contender, [this, contender, then = std::move(then)](const Outcome<Standing>& own) {
      if (!own || !own->is_gone) return then(own);
      create(contender, then, true);
    });
  });
}

void ZooKeeperLines::create(const Contender& contender, Then<Standing> then, bool has_folder) {
  const std::string folder = folder_of(contender);
  if (!has_folder) {
    return make_folder(folder, 0, [this, contender, then = std::move(then)](ZooCode code) mutable {
      if (code != ZOK) return then(trouble_of(code));
      create(contender, std::move(then), true);
    });
  }
  std::vector<std::string> paths;
  for (const std::string& node : spellings_of(contender, guid_of(contender))) {
    paths.push_back(folder + "/" + node);
  }
  handle_->create_in_line(
      paths, contender.value,
      [this, contender, then = std::move(then)](const ZooReply& reply) mutable {
        if (reply.code == ZNONODE) return create(contender, std::move(then), false);
        if (reply.code != ZOK) {
          const Trouble trouble = trouble_of(reply.code);
          if (trouble.kind == Trouble::Kind::unknown) unsure_.insert(contender.number);
          return then(trouble);
        }
        unsure_.erase(contender.number);
        const std::string place = joined(reply.names);
        handle_->exists(reply.names.front(), false,
                        [this, contender, place, then = std::move(then)](const ZooReply& own) {
                          if (own.code == ZNONODE) return then(Standing{place, {}, true});
                          if (own.code != ZOK) {
                            unsure_.insert(contender.number);
                            return then(trouble_of(own.code));
                          }
                          look(contender, {place, fence_of_czxid(own.czxid)}, true, then);
                        });
      });
}

// After a create whose answer was lost.
void ZooKeeperLines::find_own(const Contender& contender, Then<Standing> then) {
  const std::string folder = folder_of(contender);
  handle_->children(
      folder, false, [this, contender, folder, then = std::move(then)](const ZooReply& reply) {
        if (reply.code != ZOK && reply.code != ZNONODE) return then(trouble_of(reply.code));
        std::vector<std::string> own;
        for (const std::string& node : reply.names) {
          if (node.find(guid_of(contender)) != std::string::npos)
            own.push_back(folder + "/" + node);
        }
        const std::string place = joined(own);
        if (own.empty()) return then(Standing{"", {}, true});
        handle_->exists(own.front(), false, [this, contender, place, then](const ZooReply& stat) {
          if (stat.code != ZOK) return then(trouble_of(stat.code));
          look(contender, {place, fence_of_czxid(stat.czxid)}, true, then);
        });
      });
}

void ZooKeeperLines::look(const Contender& contender, const Standing& standing, bool,
                          Then<Standing> then) {
  const std::string folder = folder_of(contender);
  if (!handle_ || handle_->is_over()) {
    return say_over(std::move(then));
  }
  handle_->children(
      folder, false,
      [this, contender, standing, folder, then = std::move(then)](const ZooReply& reply) {
        if (reply.code != ZOK && reply.code != ZNONODE) return then(trouble_of(reply.code));
        Standing now = standing;
        now.before.clear();
        const auto ahead =
            before(line_of(reply.names), "_c_" + guid_of(contender) + "-", contender.want);
        if (contender.want == Want::unit && (!ahead || ahead->empty())) {
          return look_for_unit(contender, standing, ahead.has_value(), then);
        }
        now.is_gone = !ahead;
        if (ahead && !ahead->empty()) now.before = folder + "/" + *ahead;
        then(std::move(now));
      });
}

std::unique_ptr<Watch> ZooKeeperLines::watch(const std::string& path, std::function<void()> then) {
  return std::make_unique<PathWatch>(*this, path, std::move(then));
}

std::unique_ptr<Watch> ZooKeeperLines::await_change(const Contender& contender,
                                                    const Standing& standing,
                                                    std::function<void(std::uint64_t)> then) {
  const bool is_for_room = standing.before == leases_of(contender.name);
  if (contender.want == Want::unit && is_for_room) {
    return await_room(contender, standing.before, std::move(then));
  }
  handle().exists(standing.before, true, [then](const ZooReply& reply) {
    if (reply.code != ZOK) then(0);  // Gone already, or nobody knows.
  });
  return watch(standing.before, [then = std::move(then)] { then(0); });
}

void ZooKeeperLines::leave(const Session& session, const Contender& contender,
                           const Standing& standing, bool, Then<bool> then) {
  const std::vector<std::string> paths = split(standing.place);
  const bool is_unit = contender.want == Want::unit;
  if (session.id != generation_ || !handle_ || (paths.empty() && !is_unit)) {
    return io_.post([then = std::move(then)] { then(true); });
  }
  if (is_unit) return leave_unit(contender, std::move(then));
  handle_->remove(paths, [this, paths, then = std::move(then)](const ZooReply& reply) mutable {
    if (reply.code == ZOK) return then(true);
    if (reply.code != ZNONODE) return then(trouble_of(reply.code));
    // Some are gone: by an earlier call whose answer was lost, or by somebody else. One by one.
    auto left = std::make_shared<std::size_t>(paths.size());
    auto trouble = std::make_shared<ZooCode>(ZOK);
    for (const std::string& path : paths) {
      handle_->remove({path}, [this, left, trouble, then](const ZooReply& one) {
        if (one.code != ZOK && one.code != ZNONODE) *trouble = one.code;
        if (--*left > 0) return;
        *trouble == ZOK ? then(true) : then(trouble_of(*trouble));
      });
    }
  });
}

// --- questions ---

void ZooKeeperLines::describe(const std::string& name, Then<LockInfo> then) {
  if (units_.of(name) > 0) return describe_semaphore(name, std::move(then));
  const std::string folder = path_of(name);
  handle().children(folder, false,
                    [this, name, folder, then = std::move(then)](const ZooReply& reply) mutable {
                      if (reply.code != ZOK && reply.code != ZNONODE) {
                        return then(trouble_of(reply.code));
                      }
                      LockInfo lock;
                      lock.name = name;
                      lock.algorithm = "zookeeper";
                      auto line = line_of(reply.names);
                      for (Spelled& one : line) one.node = folder + "/" + one.node;
                      std::reverse(line.begin(), line.end());
                      describe_next(std::move(line), std::move(lock), std::move(then));
                    });
}

// `line` is what is left, by paths, the last in it first.
void ZooKeeperLines::describe_next(std::vector<Spelled> line, LockInfo lock, Then<LockInfo> then) {
  if (line.empty()) return then(std::move(lock));
  const Spelled next = line.back();
  line.pop_back();
  handle().get(next.node, [this, next, line = std::move(line), lock = std::move(lock),
                           then = std::move(then)](const ZooReply& reply) mutable {
    if (reply.code != ZOK && reply.code != ZNONODE) {
      return then(trouble_of(reply.code));
    }
    if (reply.code == ZOK) {
      Person person = person_of(reply.data);
      if (person.command.empty()) person.command = next.node.substr(next.node.rfind('/') + 1);
      person.shared = next.is_reader;
      const bool is_inside =
          !lock.holder && lock.waiters.empty() && (next.is_reader || lock.sharers.empty());
      if (is_inside) person.fence = fence_of_czxid(reply.czxid);
      if (!is_inside) {
        lock.waiters.push_back(std::move(person));
      } else if (next.is_reader) {
        lock.sharers.push_back(std::move(person));
      } else {
        lock.holder = std::move(person);
      }
    }
    describe_next(std::move(line), std::move(lock), std::move(then));
  });
}

void ZooKeeperLines::describe_all(std::vector<std::string> names, std::vector<LockInfo> locks,
                                  Then<std::vector<LockInfo>> then) {
  if (names.empty()) return then(std::move(locks));
  const std::string name = names.back();
  names.pop_back();
  describe(name, [this, names = std::move(names), locks = std::move(locks),
                  then = std::move(then)](const Outcome<LockInfo>& lock) mutable {
    if (!lock) return then(lock.error());
    if (lock->holder || !lock->sharers.empty()) locks.push_back(*lock);
    describe_all(std::move(names), std::move(locks), std::move(then));
  });
}

void ZooKeeperLines::list(const std::string& pattern, Then<std::vector<LockInfo>> then) {
  const std::size_t slash = pattern.rfind('/');
  const std::string above = slash == std::string::npos ? "" : pattern.substr(0, slash);
  when_connected([this, pattern, above, then = std::move(then)](bool is_connected) mutable {
    if (!is_connected) return then(Trouble{Trouble::Kind::unknown, trouble()});
    if (!is_good_path(path_of(pattern))) return then(std::vector<LockInfo>{});
    if (!is_pattern(pattern)) return describe_all({pattern}, {}, std::move(then));
    if (is_pattern(above)) {
      return then(
          refused("ZooKeeper is asked folder by folder: only what follows the last / may "
                  "be a pattern"));
    }
    const std::string folder = above.empty() ? root_ : path_of(above);
    handle().children(folder.empty() ? "/" : folder, false,
                      [this, pattern, above, then = std::move(then)](const ZooReply& reply) {
                        if (reply.code != ZOK && reply.code != ZNONODE) {
                          return then(trouble_of(reply.code));
                        }
                        std::vector<std::string> names;
                        for (const std::string& node : reply.names) {
                          const std::string name = above.empty() ? node : above + "/" + node;
                          if (!spelled(node) && glob_matches(pattern, name)) names.push_back(name);
                        }
                        std::sort(names.rbegin(), names.rend());
                        describe_all(std::move(names), {}, then);
                      });
  });
}

void ZooKeeperLines::first_of(const std::string& name,
                              std::function<void(bool, std::optional<Leader>)> then) {
  const std::string folder = path_of(name);
  handle().children(folder, true, [this, folder, then = std::move(then)](const ZooReply& reply) {
    const auto line = line_of(reply.names);
    if (reply.code != ZOK || line.empty()) {
      return then(reply.code == ZOK || reply.code == ZNONODE, std::nullopt);
    }
    handle().get(folder + "/" + line.front().node, [then](const ZooReply& first) {
      if (first.code != ZOK) return then(false, std::nullopt);
      Person person;
      person.fence = fence_of_czxid(first.czxid);
      then(true, Leader{first.data, fence_of_czxid(first.czxid), std::move(person)});
    });
  });
}

// Whoever is first in a line. A line that is not there yet is looked for now and then.
class ZooKeeperLines::Observation final : public Watch {
 public:
  Observation(ZooKeeperLines& lines, std::string name,
              std::function<void(std::optional<Leader>)> then)
      : lines_(lines),
        name_(std::move(name)),
        then_(std::move(then)),
        timer_(lines.io_),
        watch_(lines.watch(lines.path_of(name_), [this] { look(); })) {
    look();
  }

 private:
  void look() {
    lines_.when_connected([this, alive = std::weak_ptr<int>{alive_}](bool is_connected) {
      if (alive.expired()) return;
      if (!is_connected) return look_again();
      lines_.first_of(name_, [this, alive](bool is_known, std::optional<Leader> leader) {
        if (alive.expired()) return;
        if (is_known) told_.tell(std::move(leader), then_);
        look_again();
      });
    });
  }
  void look_again() {
    constexpr milliseconds kEvery{500};
    timer_.expires_after(kEvery);
    timer_.async_wait([this, alive = std::weak_ptr<int>{alive_}](auto cancelled) {
      if (!cancelled && !alive.expired()) look();
    });
  }

  ZooKeeperLines& lines_;
  const std::string name_;
  const std::function<void(std::optional<Leader>)> then_;
  LastLeader told_;
  Timer timer_;
  const std::shared_ptr<int> alive_ = std::make_shared<int>();
  const std::unique_ptr<Watch> watch_;
};

std::unique_ptr<Watch> ZooKeeperLines::observe(const std::string& name,
                                               std::function<void(std::optional<Leader>)> then) {
  return std::make_unique<Observation>(*this, name, std::move(then));
}

}  // namespace hapax::direct
