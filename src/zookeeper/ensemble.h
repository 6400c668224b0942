// The records of a group in a ZooKeeper ensemble; layout.h says how, and why it is right. Blocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/blocking.h"
#include "zookeeper/layout.h"
#include "zookeeper/session.h"

namespace hapax::engine::zookeeper {

class Ensemble : public Backing {
 public:
  Ensemble(std::vector<std::string> servers, const std::string& login, Layout layout)
      : layout_(std::move(layout)), session_(std::move(servers), login) {}

  Result<Snapshot> read(const std::vector<std::string>& prefixes, Deadline deadline) override;
  Result<std::optional<Revision>> commit(const std::vector<Condition>& conditions,
                                         const std::vector<Write>& writes,
                                         Deadline deadline) override;
  Result<Since> since(std::string_view prefix, Revision from, Deadline deadline) override;
  Result<std::uint64_t> pulse() override { return session_.changes(); }
  void interrupt() override { session_.interrupt(); }

  static constexpr std::uint64_t kCommitsKept = 256;

 private:
  // What was read before a multi on the condition that head is the same.
  struct Basis {
    Head head;
    std::int32_t head_version = 0;
  };
  // How an attempt ended without a result: it is made again, or never.
  struct Failure {
    Code code = 0;
    bool final = false;
  };
  template <class T>
  using Attempt = boost::system::result<T, Failure>;

  template <class T, class F>
  Result<T> until(Deadline deadline, F&& attempt);

  Attempt<Snapshot> try_read(const std::vector<std::string>& prefixes, Deadline deadline);
  Attempt<std::optional<Revision>> try_commit(const std::vector<Condition>& conditions,
                                              const std::vector<Write>& writes, Deadline deadline);
  Attempt<Since> try_since(std::string_view prefix, Revision from, Deadline deadline);

  Attempt<Basis> basis_of(const Node& head) const;
  Attempt<std::map<std::string, Record>> records(const std::set<std::string>& keys,
                                                 const std::vector<Node>& nodes) const;
  Attempt<std::optional<std::vector<Commit>>> log(Revision from, Revision to, Deadline deadline);
  Code unchanged(const Basis& basis, Deadline deadline);
  std::vector<Step> steps(const Basis& basis, const Commit& commit,
                          const std::map<std::string, Record>& there) const;
  Code found(Deadline deadline);

  const Layout layout_;
  Session session_;
};

// The steps that take head from one znode version to another, neither of which is -1.
std::vector<Step> set_head(const std::string& path, const Head& head, std::int32_t version);

}  // namespace hapax::engine::zookeeper
