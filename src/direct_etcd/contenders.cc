#include "direct_etcd/contenders.h"

#include <etcd.pb.h>  // Generated from etcd.proto.
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/glob.h"
#include "direct/introduction.h"

namespace hapax::direct {
namespace {

using engine::etcd::KeyValue;
using engine::etcd::RangeResponse;

Fence fence_of(const KeyValue& kv) {
  return {Epoch{1}, Turn{static_cast<std::uint64_t>(kv.create_revision())}};
}

// Of another program there are no words: its lease then says which it is.
Person who(const KeyValue& kv) {
  Person person = person_of(kv.value());
  if (person.command.empty()) {
    person.command = fmt::format("lease {:x}", static_cast<std::uint64_t>(kv.lease()));
  }
  return person;
}

}  // namespace

std::string own_key(const Session& session, const Contender& contender) {
  return fmt::format("{}/{:x}-{:x}", contender.name, session.id, contender.number);
}

bool is_contender(std::string_view name, std::string_view key) {
  return key.size() > name.size() + 1 && key.starts_with(name) && key[name.size()] == '/' &&
         key.find('/', name.size() + 1) == std::string_view::npos;
}

std::vector<LockInfo> locks_of(const RangeResponse& keys, const std::string& pattern) {
  std::map<std::string, LockInfo> locks;
  for (const KeyValue& kv : keys.kvs()) {
    const std::size_t end = kv.key().rfind('/');
    // What has no lease is no contender's: its program would not free it by ending.
    if (end == std::string::npos || end == 0 || kv.lease() == 0) continue;
    const std::string name = kv.key().substr(0, end);
    if (!glob_matches(pattern, name)) continue;
    LockInfo& lock = locks[name];
    lock.name = name;
    lock.algorithm = "etcd";
    Person person = who(kv);
    if (lock.holder) {
      lock.waiters.push_back(std::move(person));
    } else {
      person.fence = fence_of(kv);
      lock.holder = std::move(person);
    }
  }
  std::vector<LockInfo> list;
  for (auto& [name, lock] : locks) list.push_back(std::move(lock));
  return list;
}

std::optional<Leader> leader_of(const RangeResponse& keys, const std::string& name) {
  for (const KeyValue& kv : keys.kvs()) {
    if (!is_contender(name, kv.key())) continue;
    Person person;
    person.fence = fence_of(kv);
    return Leader{kv.value(), fence_of(kv), std::move(person)};
  }
  return std::nullopt;
}

}  // namespace hapax::direct
