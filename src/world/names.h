// What the nodes of a trace are called: P1, N32, ATM2. Texts that speak of #4 are shown with the
// name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace hapax {

class Names {
 public:
  Names() = default;
  explicit Names(std::vector<std::string> names) : names_(std::move(names)) {}

  std::uint32_t count() const { return static_cast<std::uint32_t>(names_.size()); }
  const std::vector<std::string>& all() const { return names_; }
  const std::string& of(NodeId node) const { return names_[number(node)]; }
  Result<NodeId> find(std::string_view name) const {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (names_[i] == name) return NodeId{i};
    }
    return error("there is no node '{}'", name);
  }

  // Replaces every #number by the name of that node.
  std::string in(std::string_view text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t digits = i + 1;
      std::size_t id = 0;
      while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
        id = id * 10 + static_cast<std::size_t>(text[digits++] - '0');
      }
      if (text[i] == '#' && digits > i + 1 && id < names_.size()) {
        out += names_[id];
        i = digits;
      } else {
        out += text[i++];
      }
    }
    return out;
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace hapax
