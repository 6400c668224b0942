#include "handles/own_gateway.h"

#include "handles/changes.h"
#include "handles/library_thread.h"

namespace hapax::detail {
namespace {

class ForkedGateway final : public Gateway {
 public:
  std::shared_ptr<LockHandle> handle(const std::string&) override { return nullptr; }
  bool enter_again(LockHandle*, Holding&) noexcept override { return false; }
  std::error_code acquire(const std::string&, LockHandle*, Deadline, const std::stop_token&,
                          Holding&) override {
    return Errc::forked;
  }
  void acquire_later(const std::string&, LockHandle*, const std::stop_token&,
                     Completion& completion) override {
    completion.on_answer(Errc::forked, {});
  }
  void release(LockHandle*, const Holding&) noexcept override {}
  std::error_code acquire_as(const std::string&, Want, Deadline, const std::stop_token&, Holding&,
                             std::string&) override {
    return Errc::forked;
  }
  void give_back(const Holding&) noexcept override {}
  std::error_code campaign(const std::string&, const std::string&, Deadline, const std::stop_token&,
                           const std::shared_ptr<Candidate>&, Holding&) override {
    return Errc::forked;
  }
  void resign(const Holding&) noexcept override {}
  std::error_code hand_over(const Holding&, const std::string&) override { return Errc::forked; }
  std::error_code ask_to_resign(const std::string&, const std::string&) override {
    return Errc::forked;
  }
  std::uint64_t observe(const std::string&, const std::shared_ptr<Changes>& changes) override {
    changes->close();
    return 0;
  }
  void unobserve(std::uint64_t) noexcept override {}
  std::error_code who(std::string_view, std::vector<LockInfo>&, LeftOut&) override {
    return Errc::forked;
  }
  std::error_code status(bool, GroupStatus&) override { return Errc::forked; }
  std::error_code stats(MemberStats&) override { return Errc::forked; }
  std::error_code administer(session::Ask, std::chrono::milliseconds, std::string&) override {
    return Errc::forked;
  }
  std::error_code ask_about_files(session::Ask, session::Answer&) override { return Errc::forked; }
  std::stop_token lost() const override { return lost_.get_token(); }
  std::stop_token lost(const Holding&) const override { return lost(); }
  std::chrono::milliseconds valid_for() const override { return std::chrono::milliseconds{0}; }

  ForkedGateway() { lost_.request_stop(); }

 private:
  std::stop_source lost_;
};

}  // namespace

Gateway& forked_gateway() noexcept {
  static ForkedGateway gateway;
  return gateway;
}

std::shared_ptr<Gateway> shared(std::unique_ptr<Gateway> gateway) {
  return {gateway.release(), [](Gateway* last) {
            if (last->is_ours()) client::destroy(std::unique_ptr<Gateway>{last});
          }};
}

}  // namespace hapax::detail
