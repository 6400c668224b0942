#include "zookeeper/ensemble.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <utility>
#include <zookeeper/zookeeper.h>

#include "engine/commit.h"

namespace hapax::engine::zookeeper {
namespace {

constexpr Code kNotOurs = ZDATAINCONSISTENCY;  // A znode that does not hold what we write there.

// Worth another attempt, if nothing can have been done.
bool may_pass(Code code) {
  switch (code) {
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZSESSIONEXPIRED:
    case ZSESSIONMOVED:
    case ZINVALIDSTATE:
    case ZCLOSING:
    case ZBADVERSION:  // Somebody else's commit came first.
    case ZNONODE:      // … or deleted what we had just seen.
      return true;
    default:
      return false;
  }
}

std::string explain(Code code) {
  if (code == kNotOurs) return "zookeeper: a znode is not as hapax writes it; was it edited?";
  if (code == ZNOAUTH) return "zookeeper: not authenticated; give the group's user and password";
  return fmt::format("zookeeper: {}", zerror(code));
}

}  // namespace

std::vector<Step> set_head(const std::string& path, const Head& head, std::int32_t version) {
  std::vector<Step> steps{{Step::Kind::set, path, head.text(), version}};
  // It would end up at -1. The second set is in the same multi, so that "any" is the one we mean.
  if (version == -2) steps.push_back({Step::Kind::set, path, head.text(), -1});
  return steps;
}

// Attempts until one has a result, one fails for good, or time is up.
template <class T, class F>
Result<T> Ensemble::until(Deadline deadline, F&& attempt) {
  Code last = ZCONNECTIONLOSS;
  while (session_.connect(deadline)) {
    Attempt<T> result = attempt();
    if (result) return std::move(*result);
    last = result.error().code;
    if (result.error().final || !may_pass(last)) break;
    if (std::chrono::steady_clock::now() >= deadline) break;
    if (last == ZNONODE) last = found(deadline);
    // A multi that was refused has come back through our server, which is no longer behind.
    if (last != ZOK && last != ZBADVERSION) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  }
  return Error{explain(last)};
}

// Makes the group's znodes, if they are not there. Head comes last: where it is, all are.
Code Ensemble::found(Deadline deadline) {
  const std::string& parents = layout_.parents();
  for (std::size_t end = 0; end != std::string::npos;) {
    end = parents.find('/', end + 1);
    const Code code = session_.create(parents.substr(0, end), "", /*open=*/true, deadline);
    if (code != ZOK && code != ZNODEEXISTS) return code;
  }
  for (const std::string& path : {layout_.root(), layout_.records(), layout_.log()}) {
    const Code code = session_.create(path, "", /*open=*/false, deadline);
    if (code != ZOK && code != ZNODEEXISTS) return code;
  }
  const Code code = session_.create(layout_.head(), Head{}.text(), /*open=*/false, deadline);
  return code == ZNODEEXISTS ? ZOK : code;
}

auto Ensemble::basis_of(const Node& node) const -> Attempt<Basis> {
  if (node.code != ZOK) return Failure{node.code};
  const auto head = Head::parse(node.data);
  if (!head) return Failure{kNotOurs, true};
  return Basis{*head, node.version};
}

// Those of the nodes that are there. `nodes` are those of `keys`, in that order.
auto Ensemble::records(const std::set<std::string>& keys, const std::vector<Node>& nodes) const
    -> Attempt<std::map<std::string, Record>> {
  std::map<std::string, Record> records;
  auto node = nodes.begin();
  for (const std::string& key : keys) {
    const Node& one = *node++;
    if (one.code == ZNONODE) continue;
    if (one.code != ZOK) return Failure{one.code};
    auto record = decode_record(key, one.data);
    if (!record) return Failure{kNotOurs, true};
    records.emplace(key, std::move(*record));
  }
  return records;
}

// ZOK, with the agreement of a majority: no commit came after what was read.
Code Ensemble::unchanged(const Basis& basis, Deadline deadline) {
  return session_.multi({{Step::Kind::check, layout_.head(), "", basis.head_version}}, deadline);
}

Result<Snapshot> Ensemble::read(const std::vector<std::string>& prefixes, Deadline deadline) {
  return until<Snapshot>(deadline, [&] { return try_read(prefixes, deadline); });
}

auto Ensemble::try_read(const std::vector<std::string>& prefixes, Deadline deadline)
    -> Attempt<Snapshot> {
  const Code now = session_.multi({{Step::Kind::check, layout_.head(), "", -1}}, deadline);
  if (now != ZOK) return Failure{now};
  const auto before = basis_of(session_.get(layout_.head(), deadline));
  if (!before) return before.error();
  const Children children = session_.children(layout_.records(), deadline);
  if (children.code != ZOK) return Failure{children.code};
  std::set<std::string> keys;
  for (const std::string& name : children.names) {
    const auto key = Layout::unescaped(name);
    if (!key) return Failure{kNotOurs, true};
    if (under_any(prefixes, *key)) keys.insert(*key);
  }
  std::vector<std::string> paths;
  for (const std::string& key : keys) paths.push_back(layout_.record(key));
  paths.push_back(layout_.head());  // The last to be read: a session keeps order.
  std::vector<Node> nodes = session_.get(paths, deadline);
  const auto after = basis_of(nodes.back());
  if (!after) return after.error();
  auto found = records(keys, nodes);
  if (!found) return found.error();
  const auto between = log(before->head.revision, after->head.revision, deadline);
  if (!between) return between.error();
  if (!*between) return Failure{ZBADVERSION};  // More commits than the log keeps: from the start.
  for (const Commit& commit : **between) {
    for (const Write& write : commit.writes) {
      if (!under_any(prefixes, write.key)) continue;
      if (write.value) {
        (*found)[write.key] = {write.key, *write.value, commit.revision};
      } else {
        found->erase(write.key);
      }
    }
  }
  Snapshot snapshot{after->head.revision, {}};
  for (auto& [key, record] : *found) snapshot.records.push_back(std::move(record));
  return snapshot;
}

// The commits after `from` up to `to`; nothing, if one is no longer there.
auto Ensemble::log(Revision from, Revision to, Deadline deadline)
    -> Attempt<std::optional<std::vector<Commit>>> {
  std::vector<std::string> paths;
  for (Revision r = from + 1; r <= to; ++r) paths.push_back(layout_.log(r));
  std::vector<Commit> commits;
  Revision revision = from;
  for (const Node& node : session_.get(paths, deadline)) {
    ++revision;
    if (node.code == ZNONODE) return std::optional<std::vector<Commit>>{};
    if (node.code != ZOK) return Failure{node.code};
    auto commit = decode_commit(revision, node.data);
    if (!commit) return Failure{kNotOurs, true};
    commits.push_back(std::move(*commit));
  }
  return std::optional{std::move(commits)};
}

Result<std::optional<Revision>> Ensemble::commit(const std::vector<Condition>& conditions,
                                                 const std::vector<Write>& writes,
                                                 Deadline deadline) {
  return until<std::optional<Revision>>(deadline,
                                        [&] { return try_commit(conditions, writes, deadline); });
}

auto Ensemble::try_commit(const std::vector<Condition>& conditions,
                          const std::vector<Write>& writes, Deadline deadline)
    -> Attempt<std::optional<Revision>> {
  std::set<std::string> keys;
  for (const Condition& condition : conditions) keys.insert(condition.key);
  for (const Write& write : writes) keys.insert(write.key);
  std::vector<std::string> paths{layout_.head()};  // The first to be read: a session keeps order.
  for (const std::string& key : keys) paths.push_back(layout_.record(key));
  std::vector<Node> nodes = session_.get(paths, deadline);
  const auto basis = basis_of(nodes.front());
  if (!basis) return basis.error();
  nodes.erase(nodes.begin());
  const auto there = records(keys, nodes);
  if (!there) return there.error();

  const auto version_of = [&](const std::string& key) {
    const auto at = there->find(key);
    return at == there->end() ? kAbsent : at->second.version;
  };
  const bool all_hold = std::all_of(conditions.begin(), conditions.end(),
                                    [&](const auto& c) { return c.holds(version_of(c.key)); });
  Commit commit{basis->head.revision + 1, {}};
  for (const Write& write : writes) {
    if (write.value || there->contains(write.key)) commit.writes.push_back(write);
  }
  if (!all_hold || commit.writes.empty()) {
    if (const Code code = unchanged(*basis, deadline); code != ZOK) return Failure{code};
    if (!all_hold) return std::optional<Revision>{};
    return std::optional<Revision>{basis->head.revision};
  }
  sort_by_key(commit.writes);
  const Code code = session_.multi(steps(*basis, commit, *there), deadline);
  if (code == ZOK) return std::optional<Revision>{commit.revision};
  // Refused: nothing was done. Anything else: it may have been, so never a second attempt.
  return Failure{code, code != ZBADVERSION};
}

std::vector<Step> Ensemble::steps(const Basis& basis, const Commit& commit,
                                  const std::map<std::string, Record>& there) const {
  Head next{commit.revision, basis.head.oldest};
  std::vector<Step> trimmed;
  while (next.revision - next.oldest >= kCommitsKept) {
    trimmed.push_back({Step::Kind::remove, layout_.log(next.oldest++), ""});
  }
  std::vector<Step> steps = set_head(layout_.head(), next, basis.head_version);
  steps.push_back({Step::Kind::create, layout_.log(commit.revision), encode_commit(commit)});
  for (const Write& write : commit.writes) {
    const std::string path = layout_.record(write.key);
    if (!write.value) {
      steps.push_back({Step::Kind::remove, path, ""});
    } else {
      const auto kind = there.contains(write.key) ? Step::Kind::set : Step::Kind::create;
      steps.push_back({kind, path, encode_record(commit.revision, *write.value)});
    }
  }
  steps.insert(steps.end(), trimmed.begin(), trimmed.end());
  return steps;
}

Result<Backing::Since> Ensemble::since(std::string_view prefix, Revision from, Deadline deadline) {
  if (!session_.connect(std::chrono::steady_clock::now())) {
    return Error{explain(ZCONNECTIONLOSS)};
  }
  return until<Since>(deadline, [&] { return try_since(prefix, from, deadline); });
}

auto Ensemble::try_since(std::string_view prefix, Revision from, Deadline deadline)
    -> Attempt<Since> {
  // A new session may be with a server that is behind what an earlier one saw.
  if (const Code code = session_.sync(layout_.head(), deadline); code != ZOK) return Failure{code};
  const auto basis = basis_of(session_.get_and_watch(layout_.head(), deadline));
  if (!basis) return basis.error();
  const Head& head = basis->head;
  Since since{head.revision, std::nullopt};
  if (from + 1 < head.oldest || from > head.revision) return since;
  const auto commits = log(from, head.revision, deadline);
  if (!commits) return commits.error();
  if (!*commits) return since;  // Trimmed just now.
  since.commits.emplace();
  for (const Commit& commit : **commits) {
    if (auto part = part_under(prefix, commit)) since.commits->push_back(std::move(*part));
  }
  return since;
}

}  // namespace hapax::engine::zookeeper
