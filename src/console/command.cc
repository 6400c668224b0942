#include "console/command.h"

#include <algorithm>
#include <utility>

namespace hapax::cli {

std::vector<std::string> Option::spellings() const {
  std::vector<std::string> all;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t end = std::min(names.find(',', from), names.size());
    all.push_back(names.substr(from, end - from));
    from = end + 1;
  }
  std::stable_partition(all.begin(), all.end(),
                        [](const std::string& name) { return name.starts_with("--"); });
  return all;
}

bool Given::has(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

void Command::add(std::string names, Option::Target target, std::string meaning,
                  OptionDetails details) {
  options.push_back({std::move(names), std::move(target), std::move(meaning), std::move(details)});
}

}  // namespace hapax::cli
