// Reads what several others write, line by line, on a thread of its own.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace hapax::local {

class LineReader {
 public:
  using Heard = std::function<void(std::size_t from, const std::string& line)>;

  // `heard` runs on the reader's thread. The descriptors are the reader's from now on.
  LineReader(std::vector<int> descriptors, Heard heard);
  // What was written before is still heard; what is written later is not.
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

 private:
  void read_all();
  // False if there is nothing more to come.
  bool read_some(std::size_t from);

  std::vector<int> descriptors_;
  std::vector<std::string> begun_;  // Lines that are not complete.
  Heard heard_;
  int end_ = -1;  // An eventfd: readable once it is to end.
  std::thread thread_;
};

}  // namespace hapax::local
