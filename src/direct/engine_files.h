// The files of a group at its engine, with no daemon in between: what a daemon does for its
// clients, on this program's own loop. Whoever asks a daemon of that group sees the same files.
//
// On the loop's thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "direct/server.h"
#include "engine/engine.h"
#include "files/group_files.h"
#include "handles/known_revision.h"
#include "loop/loop.h"
#include "session/protocol.h"

namespace hapax::direct {

class EngineFiles {
 public:
  using Tell = std::function<void(const session::Answer&)>;
  using OpenEngine = std::function<Result<std::unique_ptr<engine::Engine>>(Loop& io)>;

  // `server` knows who holds the locks; it outlives this.
  EngineFiles(Loop& io, Server& server, OpenEngine open);
  ~EngineFiles();
  EngineFiles(const EngineFiles&) = delete;
  EngineFiles& operator=(const EngineFiles&) = delete;

  // Answered once, unless this is gone before.
  void ask(session::Ask asked, const Tell& tell);

 private:
  GroupFiles::Host host(OpenEngine open);
  void after(std::chrono::milliseconds delay, std::function<void()> then);
  void ask_holders(const std::string& name, std::function<void(const session::Locks&)> tell);

  Loop& io_;
  Server& server_;
  detail::KnownRevision known_;
  std::map<std::uint64_t, std::unique_ptr<Watch>> observations_;
  std::uint64_t last_observation_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  GroupFiles files_;
  const GroupFiles::SessionId session_;
};

}  // namespace hapax::direct
