// A gateway behind which there is nobody: every call fails, and nothing can be relied on.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "handles/changes.h"
#include "handles/gateway.h"

namespace hapax::detail {

class RefusingGateway : public Gateway {
 public:
  explicit RefusingGateway(Errc why) : why_(why) { lost_.request_stop(); }

  std::shared_ptr<LockHandle> handle(const std::string&) override { return nullptr; }
  bool enter_again(LockHandle*, Holding&) noexcept override { return false; }
  std::error_code acquire(const std::string&, LockHandle*, Deadline, const std::stop_token&,
                          Holding&) override {
    return why_;
  }
  void acquire_later(const std::string&, LockHandle*, const std::stop_token&,
                     Completion& completion) override {
    completion.on_answer(why_, {});
  }
  void release(LockHandle*, const Holding&) noexcept override {}
  std::error_code acquire_as(const std::string&, Want, Deadline, const std::stop_token&, Holding&,
                             std::string&) override {
    return why_;
  }
  void give_back(const Holding&) noexcept override {}
  std::error_code campaign(const std::string&, const std::string&, Deadline, const std::stop_token&,
                           const std::shared_ptr<Candidate>&, Holding&) override {
    return why_;
  }
  void resign(const Holding&) noexcept override {}
  std::error_code hand_over(const Holding&, const std::string&) override { return why_; }
  std::error_code ask_to_resign(const std::string&, const std::string&) override { return why_; }
  std::uint64_t observe(const std::string&, const std::shared_ptr<Changes>& changes) override {
    changes->close();
    return 0;
  }
  void unobserve(std::uint64_t) noexcept override {}
  std::error_code who(std::string_view, std::vector<LockInfo>&, LeftOut&) override { return why_; }
  std::error_code status(bool, GroupStatus&) override { return why_; }
  std::error_code stats(MemberStats&) override { return why_; }
  std::error_code administer(session::Ask, std::chrono::milliseconds, std::string&) override {
    return why_;
  }
  std::error_code ask_about_files(session::Ask, session::Answer&) override { return why_; }
  std::stop_token lost() const override { return lost_.get_token(); }
  std::stop_token lost(const Holding&) const override { return lost(); }
  std::chrono::milliseconds valid_for() const override { return std::chrono::milliseconds{0}; }

 private:
  const Errc why_;
  std::stop_source lost_;
};

}  // namespace hapax::detail
