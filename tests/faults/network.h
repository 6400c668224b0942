// Hosts at one switch: network namespaces with an address each, whose cables can be cut.
#pragma once

#include <string>
#include <vector>

namespace hapax::faults {

// Runs it and throws if it fails.
void run_command(const std::string& command);

class Network {
 public:
  Network();  // REQUIRES: in a sandbox.

  // Returns its address.
  std::string add_host(const std::string& name);
  const std::string& address_of(const std::string& host) const;

  void cut(const std::string& host);
  // What `from` sends does not reach `to`; the other way it does.
  void block(const std::string& from, const std::string& to);
  // This many of a hundred packets do not reach it.
  void lose(const std::string& host, unsigned percent);
  void slow_down(const std::string& host, unsigned kilobits);
  void heal_all();

 private:
  struct Host {
    std::string name, address;
    bool is_cut = false, is_slow = false, is_blocked = false;
  };
  Host& find(const std::string& name);

  std::vector<Host> hosts_;
};

}  // namespace hapax::faults
