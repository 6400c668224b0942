// How the records of a group lie in ZooKeeper, and why that is right.
//
//   ROOT/head          "REVISION OLDEST": the last commit's, and that of the oldest one in the log
//   ROOT/records/KEY   8 bytes of version, the rest is the value; KEY escaped
//   ROOT/log/REVISION  what this commit wrote
//
// A znode's own version will not do as a record's version: after a delete and a create it starts
// again from 0, and `check` in a multi compares nothing else. So every commit also sets `head`, on
// the condition that head's znode version is the one that was read before the records were; and
// head is never deleted. If that condition holds, no commit has come in between, so what was read
// of records still holds, and all comparisons with it are as good as if made inside the multi. A
// version is the revision of the commit, counted in head's data: it only grows.
//
// A conflict is reported only after a multi that does nothing but check head's version: it goes
// through the leader and a majority, so what was read was true at that very moment.
//
// Reading begins with such a multi, on any version: when it comes back our server has seen all
// that was committed before the call. (`sync` alone would trust a leader that may have been
// deposed.) Then head is read, the records, and head again, all in this order. Commits that came
// in between may have torn what was read; but the log has all their writes. Applied to the records
// in order they give the records as of the second head: what they wrote is theirs, the rest did
// not change.
//
// Head's znode version has 32 bits and wraps; equality is all that is asked of it. But -1 means
// "any version": a commit that would leave -1 sets head twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/record.h"

namespace hapax::engine::zookeeper {

struct Head {
  Revision revision = 0;
  Revision oldest = 1;  // revision + 1, if the log is empty.

  std::string text() const;
  static std::optional<Head> parse(std::string_view text);
  friend bool operator==(const Head&, const Head&) = default;
};

class Layout {
 public:
  // `chroot` is "" or "/a/b".
  Layout(const std::string& chroot, const std::string& group)
      : parents_(chroot + "/hapax"), root_(parents_ + "/" + group) {}

  const std::string& parents() const { return parents_; }
  const std::string& root() const { return root_; }
  std::string head() const { return root_ + "/head"; }
  std::string records() const { return root_ + "/records"; }
  std::string record(std::string_view key) const { return records() + "/" + escaped(key); }
  std::string log() const { return root_ + "/log"; }
  std::string log(Revision revision) const;

  // Any bytes as the name of a znode, and back; nothing if escaped() does not write it so.
  static std::string escaped(std::string_view key);
  static std::optional<std::string> unescaped(std::string_view name);

 private:
  std::string parents_;
  std::string root_;
};

// The data of a record's znode.
std::string encode_record(Version version, std::string_view value);
std::optional<Record> decode_record(std::string key, std::string_view data);

// The data of a commit in the log.
std::string encode_commit(const Commit& commit);
std::optional<Commit> decode_commit(Revision revision, std::string_view data);

}  // namespace hapax::engine::zookeeper
