// Which files have changed at a daemon, for clients of its machine to see without asking: a page of
// memory that the daemon writes and they read. It has no names and no contents, only numbers: a
// stamp for each file (some files share one), which changes before anybody is told of the change.
//
// A client that took the stamp of a file, then asked for the file, and finds the same stamp now,
// knows what the daemon would answer now.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hapax::session {

class FileStamps {
 public:
  struct Stamp {
    std::uint64_t all = 0, one = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };

  // The daemon's: a new file beside a socket, SOCKET.files, until it is destroyed. Who may come to
  // the socket may read it. Null: it cannot be made.
  static std::unique_ptr<FileStamps> make(const std::string& socket);
  // A client's, of what where() says. Null: there is none, or that of another daemon: the way to
  // ours may lead to another machine.
  static std::unique_ptr<const FileStamps> open(const std::string& where);
  ~FileStamps();
  FileStamps(const FileStamps&) = delete;
  FileStamps& operator=(const FileStamps&) = delete;

  std::string where() const;

  // The daemon's, on one thread. First what has changed, then up to which revision that is all.
  void change(std::string_view path);
  void serve(std::uint64_t revision);
  void change_all();
  void serve_nothing();

  // Any client's, any thread. 0: nothing may be told without asking.
  std::uint64_t revision() const;
  // REQUIRES, for what a stamp is compared with: revision() was called before.
  Stamp of(std::string_view path) const;

 private:
  struct Page;
  FileStamps(Page* page, std::string path, bool is_own)
      : page_(page), path_(std::move(path)), is_own_(is_own) {}

  Page* const page_;
  const std::string path_;
  const bool is_own_;
};

}  // namespace hapax::session
