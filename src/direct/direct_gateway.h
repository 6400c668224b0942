// Locks at a server with sessions, in its community's own layout: a Line on a loop of its own, for
// threads that wait and for those that do not.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "direct/engine_files.h"
#include "direct/engine_gateway.h"
#include "direct/line.h"
#include "direct/server.h"
#include "handles/farewell.h"
#include "loop/loop.h"

namespace hapax::direct {

class DirectGateway final : public EngineGateway {
 public:
  using MakeServer = std::function<std::unique_ptr<Server>(Loop& io)>;  // May throw.

  // `address` is for people. Throws std::system_error if nobody answers there; `asks_only`: never
  // takes a lock, and needs no session. `open_files`: empty, if there are none there.
  DirectGateway(std::string address, std::chrono::milliseconds ttl, bool asks_only,
                const MakeServer& make, EngineFiles::OpenEngine open_files = {});
  ~DirectGateway() override;

  void acquire_later(const std::string& name, detail::LockHandle* handle,
                     const std::stop_token& cancel, detail::Completion& completion) override;
  std::error_code acquire_as(const std::string& name, Want want, detail::Deadline deadline,
                             const std::stop_token& cancel, detail::Holding& holding,
                             std::string& why) override;
  void give_back(const detail::Holding& holding) noexcept override;
  std::error_code campaign(const std::string& name, const std::string& value,
                           detail::Deadline deadline, const std::stop_token& cancel,
                           const std::shared_ptr<detail::Candidate>& candidate,
                           detail::Holding& holding) override;
  std::uint64_t observe(const std::string& name,
                        const std::shared_ptr<detail::Changes>& changes) override;
  void unobserve(std::uint64_t observation) noexcept override;
  std::error_code who(std::string_view name, std::vector<LockInfo>& locks,
                      detail::LeftOut& left_out) override;
  std::error_code status(bool all, GroupStatus& status) override;
  std::error_code ask_about_files(session::Ask asked, session::Answer& told) override;

  using detail::Gateway::lost;
  std::stop_token lost() const override { return line_->lost(); }
  std::string why_lost() const override;
  using detail::Gateway::valid_for;
  std::chrono::milliseconds valid_for() const override { return line_->keeper().valid_for(); }
  std::chrono::milliseconds ttl() const override { return line_->keeper().ttl(); }

 private:
  struct Later;

  bool is_on_loop() const { return std::this_thread::get_id() == thread_.get_id(); }
  void post(std::function<void()> work);
  void start(bool asks_only);
  void give_all_back();  // What is held is free at once, if the server hears of it.
  void finish();
  // What `ask` tells its argument, within some seconds; an error if it does not.
  template <class T>
  Outcome<T> wait_for(std::function<void(Then<T>)> ask);
  std::error_code take(Contender contender, detail::Deadline deadline,
                       const std::stop_token& cancel, detail::Holding& holding, std::string& why);

  const std::string address_;
  const EngineFiles::OpenEngine open_files_;
  Loop io_;
  Loop::Work work_{io_};            // Until it is stopped.
  std::unique_ptr<Server> server_;  // The loop's, and so are these:
  std::unique_ptr<Line> line_;
  std::unique_ptr<EngineFiles> files_;  // Null: nobody has asked for one yet.
  std::map<std::uint64_t, std::unique_ptr<Watch>> observations_;
  std::atomic<std::uint64_t> next_request_{1};
  std::jthread thread_;  // The last of these: it uses all the others.
  std::optional<detail::Farewell> farewell_;
};

}  // namespace hapax::direct
