// A cable between one client and its daemon that can be cut: passes bytes both ways between two
// Unix sockets. To the daemon a cut looks as if the client's machine were gone; a client that is
// stopped hears nothing of it.
#pragma once

#include <filesystem>
#include <string>
#include <thread>

namespace hapax::bank {

class Cable {
 public:
  // Whoever connects to `here` is passed on to `there`; one client, once. Throws std::system_error.
  Cable(const std::filesystem::path& here, const std::filesystem::path& there);
  ~Cable();
  Cable(const Cable&) = delete;
  Cable& operator=(const Cable&) = delete;

  std::string address() const { return "unix:" + here_.string(); }
  // Both ends are closed when it returns.
  void cut();

 private:
  void pass_on();

  std::filesystem::path here_, there_;
  int listener_ = -1;
  int knife_ = -1;  // An eventfd: readable once the cable is to be cut.
  std::thread thread_;
};

}  // namespace hapax::bank
