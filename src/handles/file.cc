#include "hapax/file.h"

#include <utility>

#include "core/file_path.h"
#include "handles/file_access.h"
#include "handles/questions.h"

namespace hapax {
namespace {

using detail::FileAccess;
using session::FileDone;

// The answer to a write, or what is thrown in its place.
FileDone write_or_throw(detail::Gateway& gateway, session::Ask ask, const std::string& path) {
  FileDone done = FileAccess::ask_for<FileDone>(gateway, std::move(ask), path);
  using Outcome = FileDone::Outcome;
  const std::string what = done.why.empty() ? path : done.why;
  if (done.outcome == Outcome::unknown) client::throw_if(Errc::unknown_outcome, what);
  if (done.outcome == Outcome::stale) client::throw_if(Errc::stale_fence, what);
  return done;
}

}  // namespace

File::File(Client& client, std::string_view path) {
  detail::Served served = detail::served(FileAccess::gateway_of(client), path);
  gateway_ = std::move(served.gateway);
  path_ = std::move(served.name);
  if (const auto good = check_file_path(path_); !good) {
    client::throw_if(Errc::bad_name, good.error().message);
  }
}

std::optional<FileContent> File::read(Freshness freshness) {
  auto told = FileAccess::ask_for<session::FileTold>(
      *detail::OwnGateway{gateway_}, session::FileGet{0, path_, 0, freshness == Freshness::fresh},
      path_);
  if (told.version == 0) return std::nullopt;
  return FileContent{std::move(told.content), told.version, told.fence, told.ephemeral};
}

std::uint64_t File::write(std::string_view content, const Options& options) {
  if (content.size() > kLargest) {
    client::throw_if(Errc::refused,
                     path_ + ": a file has at most " + std::to_string(kLargest) + " bytes");
  }
  const FileDone done =
      write_or_throw(*detail::OwnGateway{gateway_},
                     session::FilePut{0, path_, std::string{content}, options.version,
                                      options.fence, options.ephemeral},
                     path_);
  if (done.outcome == FileDone::Outcome::conflict) client::throw_if(Errc::conflict, path_);
  return done.version;
}

std::optional<std::uint64_t> File::compare_and_swap(std::uint64_t version,
                                                    std::string_view content) {
  try {
    return write(content, {.version = version, .fence = {}});
  } catch (const std::system_error& e) {
    if (e.code() == Errc::conflict) return std::nullopt;
    throw;
  }
}

bool File::remove(std::optional<std::uint64_t> version) {
  const FileDone done =
      write_or_throw(*detail::OwnGateway{gateway_}, session::FileRemove{0, path_, version}, path_);
  if (done.outcome == FileDone::Outcome::conflict) client::throw_if(Errc::conflict, path_);
  return done.outcome == FileDone::Outcome::done;
}

std::vector<FileInfo> File::list(Client& client, std::string_view folder, Freshness freshness) {
  const detail::Served served =
      detail::served(FileAccess::gateway_of(client), folder, detail::Named::folder);
  if (const auto good = check_folder(served.name); !good) {
    client::throw_if(Errc::bad_name, good.error().message);
  }
  auto names = FileAccess::ask_for<session::FileNames>(
      *detail::OwnGateway{served.gateway},
      session::FileList{0, served.name, 0, freshness == Freshness::fresh}, std::string{folder});
  const std::string cell = served.before(folder);
  std::vector<FileInfo> files;
  for (session::FileEntry& file : names.files) {
    files.push_back({cell + file.path, file.version, file.bytes, file.ephemeral});
  }
  return files;
}

FenceStanding check_fence(Client& client, std::string_view lock, Fence fence, std::string* why) {
  const detail::Served served = detail::served(FileAccess::gateway_of(client), lock);
  auto told = FileAccess::ask_for<session::FenceTold>(*detail::OwnGateway{served.gateway},
                                                      session::FenceCheck{0, served.name, fence},
                                                      std::string{lock});
  if (why != nullptr) *why = std::move(told.why);
  return static_cast<FenceStanding>(told.standing);
}

}  // namespace hapax
