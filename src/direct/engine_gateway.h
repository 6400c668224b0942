// What is alike in every gateway without a daemon of ours behind it: there is no group, so nobody
// can be asked about one, and no administrator; and no way to a daemon that a job could inherit.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "handles/changes.h"
#include "handles/gateway.h"
#include "hapax/error.h"

namespace hapax::direct {

[[noreturn]] inline void refuse(const std::string& why) {
  throw std::system_error{make_error_code(Errc::refused), why};
}

class EngineGateway : public detail::Gateway {
 public:
  std::shared_ptr<detail::LockHandle> handle(const std::string&) override { return nullptr; }
  bool enter_again(detail::LockHandle*, detail::Holding&) noexcept override { return false; }
  std::error_code acquire(const std::string& name, detail::LockHandle*, detail::Deadline deadline,
                          const std::stop_token& cancel, detail::Holding& holding) override {
    std::string why;
    return acquire_as(name, Want::exclusive, deadline, cancel, holding, why);
  }
  void release(detail::LockHandle*, const detail::Holding& holding) noexcept override {
    give_back(holding);
  }
  std::error_code campaign(const std::string&, const std::string&, detail::Deadline,
                           const std::stop_token&, const std::shared_ptr<detail::Candidate>&,
                           detail::Holding&) override {
    return Errc::refused;
  }
  void resign(const detail::Holding& holding) noexcept override { give_back(holding); }
  std::error_code hand_over(const detail::Holding&, const std::string&) override {
    return Errc::refused;
  }
  std::error_code ask_to_resign(const std::string&, const std::string&) override {
    return Errc::refused;
  }
  std::uint64_t observe(const std::string&,
                        const std::shared_ptr<detail::Changes>& changes) override {
    changes->close();
    return 0;
  }
  void unobserve(std::uint64_t) noexcept override {}
  std::error_code who(std::string_view, std::vector<LockInfo>&, detail::LeftOut&) override {
    refuse("who holds what is not asked here");
  }
  std::error_code stats(MemberStats&) override {
    refuse("an engine counts nothing for us: ask a daemon");
  }
  std::error_code administer(session::Ask, std::chrono::milliseconds, std::string& told) override {
    told = "an engine has no group to administer: ask a daemon";
    return Errc::refused;
  }
};

}  // namespace hapax::direct
