#include "files/group_files.h"

#include <fmt/format.h>
#include <utility>

#include "core/file_path.h"
#include "core/lock_name.h"
#include "files/fence_standing.h"

namespace hapax {
namespace {

using session::FileDone;
using session::Refused;

constexpr std::chrono::milliseconds kTryAgain{500};  // To read all of it, after a failure.

// What the engine has, for whoever knows of `at_least`; an error, if the engine knows less: it was
// restored from a copy, or is another one.
Result<void> check_not_older(engine::Revision has, engine::Revision at_least) {
  if (has >= at_least) return {};
  return error(
      "the engine's files went back: it is at revision {}, and this client has seen {}; it was "
      "restored from a copy, or is another one. Connect anew to begin from there",
      has, at_least);
}

session::FileTold told_of(const CachedFile* cached, engine::Revision absent_at) {
  if (cached == nullptr) return {0, 0, "", {}, false, absent_at};
  const StoredFile& file = cached->file;
  return {0, cached->version, file.content, file.fence, file.owner.has_value(), cached->version};
}

session::FileNames names_in(const FileCache& cache, std::string_view folder) {
  session::FileNames names;
  names.revision = cache.revision();
  cache.for_each_in(folder, [&](const std::string& path, const CachedFile& cached) {
    names.files.push_back(
        {path, cached.version, cached.file.content.size(), cached.file.owner.has_value()});
  });
  return names;
}

}  // namespace

// --- beginning and end ---

GroupFiles::SessionId GroupFiles::begin_session() {
  sessions_[++last_session_] = {};
  return last_session_;
}

void GroupFiles::end_session(SessionId session) {
  sessions_.erase(session);
  sweep();
}

void GroupFiles::stop() {
  is_stopped_ = true;
  stamps_.reset();
  events_.stop();
  watch_.reset();
}

Result<void> GroupFiles::admit(SessionId session, bool needs_files, std::size_t puts) {
  if (is_stopped_) return error("this daemon ends");
  if (const auto good = open(); !good && needs_files) return good.error();
  Open& open_now = sessions_[session];
  if (open_now.questions >= kMostAtOnce || open_now.puts + puts > kMostPuts) {
    return error("this client has {} questions about files open, {} of them puts; wait for answers",
                 open_now.questions, open_now.puts);
  }
  ++open_now.questions;
  open_now.puts += puts;
  return {};
}

Result<void> GroupFiles::open() {
  if (engine_) return {};
  auto engine = host_.open();
  if (!engine) return engine.error();
  engine_ = std::move(*engine);
  writer_.emplace(*engine_, cache_, [this](const std::string& path) {
    if (stamps_) stamps_->change(path);
  });
  if (host_.reads_ahead) load();
  return {};
}

// --- the cache ---

void GroupFiles::load() {
  if (is_stopped_ || std::exchange(is_loading_, true)) return;
  engine_->read({""}, [this](const Result<engine::Snapshot>& all) {
    is_loading_ = false;
    if (is_stopped_) return;
    if (!all) return host_.news.after(kTryAgain, [this] { load(); });
    cache_.load(*all);
    if (stamps_) {
      // What changed until now was not stamped: not for those either who have asked meanwhile, and
      // were told what the engine had then.
      stamps_->change_all();
      stamps_->serve(cache_.revision());
    }
    events_.on_loaded(all->revision);
    watch_ = engine_->watch("", all->revision,
                            {[this](const engine::Commit& commit) {
                               const auto changes = cache_.apply(commit);
                               stamp(changes);
                               if (changes.empty()) return;
                               events_.on_changes(changes);
                               arm();
                             },
                             [this] { on_gap(); }, [this] { on_gap(); }});
    arm();
  });
}

// What was committed meanwhile is not known, or the engine is another one.
void GroupFiles::on_gap() {
  cache_.forget();
  if (stamps_) stamps_->serve_nothing();
  events_.on_loading();
  watch_.reset();
  load();
}

Result<std::string> GroupFiles::stamps() {
  if (is_stopped_ || host_.stamps_beside.empty()) return error("changes are not stamped here");
  if (!stamps_) stamps_ = session::FileStamps::make(host_.stamps_beside);
  if (!stamps_) return error("no file can be made beside {}", host_.stamps_beside);
  if (cache_.is_loaded()) stamps_->serve(cache_.revision());
  return {boost::system::in_place_value, stamps_->where()};  // A text could also be an error.
}

void GroupFiles::stamp(const std::vector<FileChange>& changes) {
  if (!stamps_) return;
  for (const FileChange& change : changes) stamps_->change(change.path);
  if (cache_.is_loaded()) stamps_->serve(cache_.revision());
}

// --- ephemeral files ---

bool GroupFiles::is_orphan(const FileOwner& owner) const {
  if (owner.life == host_.life()) return !sessions_.contains(owner.session);
  return host_.is_over(owner.life);
}

// As long as there are ephemeral files somebody may have to remove them. All members look, each
// after another time; a file that one of them has removed is not there for the next.
void GroupFiles::arm() {
  if (is_armed_ || is_stopped_ || cache_.owned([](const auto&) { return true; }).empty()) return;
  is_armed_ = true;
  host_.news.after(host_.patience(), [this] {
    is_armed_ = false;
    sweep();
    arm();
  });
}

void GroupFiles::sweep() {
  if (is_stopped_ || !engine_) return;
  for (const std::string& path :
       cache_.owned([this](const FileOwner& owner) { return is_orphan(owner); })) {
    // One that is not answered for must not fill up the line before the clients' own.
    if (!removing_.insert(path).second) continue;
    writer_->add(
        {path, std::nullopt, cache_.find(path)->version, {}, {}, [this, path](const auto&) {
           removing_.erase(path);
         }});
  }
}

// --- questions ---

void GroupFiles::on(SessionId, session::FileGet&& ask, const Tell& tell) {
  const session::RequestId request = ask.request;
  if (const auto good = check_file_path(ask.path); !good) {
    return tell(Refused{request, good.error().message});
  }
  const auto tell_of = [request, tell](const CachedFile* cached, engine::Revision absent_at) {
    session::FileTold told = told_of(cached, absent_at);
    told.request = request;
    tell(told);
  };
  if (!ask.fresh && cache_.may_tell(ask.path, ask.at_least)) {
    return tell_of(cache_.find(ask.path), cache_.revision());
  }
  const std::string key = key_of_file(ask.path);
  engine_->read({key}, [=, at_least = ask.at_least](const Result<engine::Snapshot>& seen) {
    if (!seen) {
      return tell(Refused{request, "the engine does not answer: " + seen.error().message});
    }
    if (const auto good = check_not_older(seen->revision, at_least); !good) {
      return tell(Refused{request, good.error().message});
    }
    FileCache one;
    one.load(*seen);
    tell_of(one.find(*path_of_key(key)), seen->revision);
  });
}

void GroupFiles::on(SessionId, session::FileList&& ask, const Tell& tell) {
  const session::RequestId request = ask.request;
  if (const auto good = check_folder(ask.path); !good) {
    return tell(Refused{request, good.error().message});
  }
  if (!ask.fresh && cache_.may_tell_all(ask.at_least)) {
    session::FileNames names = names_in(cache_, ask.path);
    names.request = request;
    return tell(names);
  }
  lists_.emplace_back(std::move(ask), tell);
  list_next();
}

void GroupFiles::list_next() {
  if (is_listing_ || lists_.empty()) return;
  is_listing_ = true;
  const auto next = std::move(lists_.front());
  lists_.pop_front();
  engine_->read({next.first.path}, [this, next](const Result<engine::Snapshot>& seen) {
    const session::FileList& ask = next.first;
    const Tell& tell = next.second;
    is_listing_ = false;
    const auto good = seen ? check_not_older(seen->revision, ask.at_least) : Result<void>{};
    if (!seen) {
      tell(Refused{ask.request, "the engine does not answer: " + seen.error().message});
    } else if (!good) {
      tell(Refused{ask.request, good.error().message});
    } else {
      FileCache some;
      some.load(*seen);
      session::FileNames names = names_in(some, ask.path);
      names.request = ask.request;
      tell(names);
    }
    list_next();
  });
}

std::function<void(Result<FileDone>)> GroupFiles::telling(session::RequestId request,
                                                          const Tell& tell) {
  return [request, tell](const Result<FileDone>& how) {
    if (!how) return tell(Refused{request, how.error().message});
    FileDone done = *how;
    done.request = request;
    tell(done);
  };
}

void GroupFiles::on(SessionId session, session::FilePut&& ask, const Tell& tell) {
  const session::RequestId request = ask.request;
  if (const auto good = check_file_path(ask.path); !good) {
    return tell(Refused{request, good.error().message});
  }
  if (ask.content.size() > kLargestFile) {
    return tell(Refused{request, fmt::format("a file has at most {} bytes; this one has {}",
                                             kLargestFile, ask.content.size())});
  }
  FileWrite write{std::move(ask.path), std::move(ask.content), ask.version,
                  ask.fence,           std::nullopt,           telling(request, tell)};
  if (ask.ephemeral) write.owner = FileOwner{host_.life(), session};
  if (!ask.fence) return writer_->add(std::move(write));
  // First whether its writer still holds the lock, as far as anybody knows; what is certain is the
  // fence that the file itself has kept.
  const auto asked = host_.news.ask_holders(
      write.path, [this, tell, request,
                   write = std::make_shared<FileWrite>(write)](const session::Locks& told) {
        session::FenceTold standing = standing_of(*write->fence, write->path, told);
        if (standing.standing == session::FenceTold::Standing::past) {
          return tell(FileDone{request, FileDone::Outcome::stale, 0, 0, standing.why});
        }
        writer_->add(std::move(*write));
      });
  if (!asked) tell(Refused{request, asked.error().message});
}

void GroupFiles::on(SessionId, session::FileRemove&& ask, const Tell& tell) {
  if (const auto good = check_file_path(ask.path); !good) {
    return tell(Refused{ask.request, good.error().message});
  }
  writer_->add(
      {std::move(ask.path), std::nullopt, ask.version, {}, {}, telling(ask.request, tell)});
}

void GroupFiles::on(SessionId, session::AskEvents&& ask, const Tell& tell) {
  if (!engine_) {
    if (ask.only_files) return tell(Refused{ask.request, open().error().message});
    events_.on_loaded(0);
  } else if (!cache_.is_loaded()) {
    load();
  }
  events_.ask(std::move(ask), tell);
}

void GroupFiles::check_fence(const session::FenceCheck& ask, const Tell& tell) {
  if (const auto good = check_lock_name(ask.name); !good) {
    return tell(Refused{ask.request, good.error().message});
  }
  const auto asked = host_.news.ask_holders(ask.name, [ask, tell](const session::Locks& told) {
    session::FenceTold standing = standing_of(ask.fence, ask.name, told);
    standing.request = ask.request;
    tell(standing);
  });
  if (!asked) tell(Refused{ask.request, asked.error().message});
}

}  // namespace hapax
