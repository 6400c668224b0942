// What the two halves of `hapax elect` share.
#pragma once

#include <string>

namespace hapax::cli {

struct ElectArguments {
  std::string name;  // Empty: the group itself.
  std::string address;
  bool json = false;
};

// Who leads the group, once.
int show_group_leader(const ElectArguments& a);
// A line for each change, until a signal.
int observe_group(const ElectArguments& a);
int observe_election(ElectArguments a);

}  // namespace hapax::cli
