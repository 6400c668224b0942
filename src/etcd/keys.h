// Our records among all others in etcd: hapax/GROUP/KEY; or all of etcd's, by their own names.
#pragma once

#include <string>
#include <utility>

namespace hapax::engine::etcd {

class Keys {
 public:
  explicit Keys(const std::string& group) : root_("hapax/" + group + "/") {}
  Keys() = default;  // All; then prefixes must not be empty, nor end with the highest byte.

  std::string outside(const std::string& key) const { return root_ + key; }
  std::string inside(const std::string& key) const { return key.substr(root_.size()); }

  // The range of keys that begin so: from the prefix to the first string after all of them. There
  // is one, since the root does not consist of the highest byte alone.
  std::pair<std::string, std::string> range(const std::string& prefix) const {
    std::string begin = outside(prefix);
    std::string end = begin;
    while (end.back() == '\xff') end.pop_back();
    end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
    return {std::move(begin), std::move(end)};
  }

 private:
  std::string root_;
};

}  // namespace hapax::engine::etcd
