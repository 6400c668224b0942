// A group on this machine for the length of a demo: daemons in this process, each with its thread,
// on Unix sockets in a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace hapax {
class DaemonThread;
}

namespace hapax::bank {

class LocalGroup {
 public:
  // Throws std::runtime_error.
  LocalGroup(const std::filesystem::path& folder, std::uint32_t size);
  ~LocalGroup();
  LocalGroup(const LocalGroup&) = delete;
  LocalGroup& operator=(const LocalGroup&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  // Where clients reach member i.
  std::string address(std::uint32_t i) const;
  std::filesystem::path socket(std::uint32_t i) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::unique_ptr<DaemonThread>> members_;
};

}  // namespace hapax::bank
