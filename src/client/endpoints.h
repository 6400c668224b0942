// The daemons that a client may reach, one at a time: when it has lost one, its next request goes
// to the first that answers then. What the lost one had granted is lost, and its holders were told
// so.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/connection.h"
#include "client/kept_lock.h"
#include "handles/gateway.h"
#include "handles/known_revision.h"
#include "net/address.h"

namespace hapax::client {

class Endpoints final : public detail::Gateway {
 public:
  // Throws std::system_error if nobody answers.
  Endpoints(std::vector<net::Address> addresses, Trust trust);

  std::shared_ptr<detail::LockHandle> handle(const std::string& name) override;
  bool enter_again(detail::LockHandle* handle, detail::Holding& holding) noexcept override {
    return static_cast<KeptLock*>(handle)->enter_again(holding);
  }
  std::error_code acquire(const std::string& name, detail::LockHandle* handle,
                          detail::Deadline deadline, const std::stop_token& cancel,
                          detail::Holding& holding) override;
  void acquire_later(const std::string& name, detail::LockHandle* handle,
                     const std::stop_token& cancel, detail::Completion& completion) override;
  void release(detail::LockHandle* handle, const detail::Holding& holding) noexcept override {
    if (!static_cast<KeptLock*>(handle)->leave(holding)) give_back(holding);
  }
  std::error_code acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                             const std::stop_token& cancel, detail::Holding& holding,
                             std::string& why) override;
  void give_back(const detail::Holding& holding) noexcept override;
  std::error_code campaign(const std::string& name, const std::string& value,
                           detail::Deadline deadline, const std::stop_token& cancel,
                           const std::shared_ptr<detail::Candidate>& candidate,
                           detail::Holding& holding) override;
  void resign(const detail::Holding& holding) noexcept override;
  std::error_code hand_over(const detail::Holding& holding, const std::string& to) override;
  std::error_code ask_to_resign(const std::string& name, const std::string& to) override;
  std::uint64_t observe(const std::string& name,
                        const std::shared_ptr<detail::Changes>& changes) override;
  void unobserve(std::uint64_t observation) noexcept override;
  std::error_code who(std::string_view name, std::vector<LockInfo>& locks,
                      detail::LeftOut& left_out) override;
  std::error_code status(bool all, GroupStatus& status) override;
  std::error_code stats(MemberStats& stats) override;
  std::error_code administer(session::Ask asked, std::chrono::milliseconds patience,
                             std::string& told) override {
    return there()->ask_for_an_end(std::move(asked), patience, told);
  }
  std::error_code ask_about_files(session::Ask asked, session::Answer& told) override;
  std::chrono::milliseconds ttl() const override { return now()->ttl(); }
  std::string why_lost() const override { return now()->why_lost(); }
  int descriptor() const override { return now()->descriptor(); }
  void has_job(pid_t group) noexcept override { now()->has_job(group); }
  void excuse_silence(bool is_excused) noexcept override { now()->excuse_silence(is_excused); }
  using detail::Gateway::lost;
  std::stop_token lost() const override { return now()->lost(); }
  std::chrono::milliseconds valid_for() const override { return now()->valid_for(); }

 private:
  using Shared = std::shared_ptr<Connection>;

  // The current connection, gone or not.
  Shared now() const;
  // One that is alive; if it has to be made, that is tried once, at all addresses.
  Shared there() noexcept;
  Shared connect();
  std::unique_ptr<Connection> open(const net::Address& address);
  template <class Ask>
  std::error_code ask_again_elsewhere(Ask&& ask);

  const std::vector<net::Address> addresses_;
  const Trust trust_;
  std::mutex connecting_;  // One thread at a time.
  mutable std::mutex mutex_;
  Shared connection_;                                    // Guarded by mutex_ …
  std::map<std::string, std::weak_ptr<KeptLock>> kept_;  // … like this.
  static constexpr std::size_t kFewNames = 64;
  std::size_t known_names_ = kFewNames;  // When those that are gone were last forgotten.
  std::size_t next_ = 0;                 // Of the addresses, guarded by connecting_ …
  std::uint64_t generation_ = 0;         // … and so is the number of connections.
  // Of the files: whichever daemon is asked, it tells nothing older. Guarded by mutex_.
  detail::KnownRevision known_;
};

}  // namespace hapax::client
