// The histories of the workers while they are being written: what is new since the last look.
#pragma once

#include <boost/json.hpp>
#include <fstream>
#include <string>
#include <vector>

namespace hapax::faults {

class Tail {
 public:
  explicit Tail(std::string file) : file_(std::move(file)) {}

  // Whole lines only.
  std::vector<boost::json::object> news() {
    std::vector<boost::json::object> lines;
    std::ifstream stream{file_};
    stream.seekg(at_);
    for (std::string line; std::getline(stream, line) && !stream.eof();) {
      at_ += static_cast<std::streamoff>(line.size()) + 1;
      lines.push_back(boost::json::parse(line).as_object());
    }
    return lines;
  }

 private:
  std::string file_;
  std::streamoff at_ = 0;
};

}  // namespace hapax::faults
