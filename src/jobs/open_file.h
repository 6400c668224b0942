// Whether a file that somebody else has opened is still open there: what `hapax lock --fd` goes by,
// as flock(1) does with a descriptor.
#pragma once

#include <stop_token>

namespace hapax::cli {

class OpenFile {
 public:
  // Of a descriptor that we have inherited, which is closed here. Throws Failure if it is none, or
  // is not open for writing.
  explicit OpenFile(int descriptor);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // Requested when the last process that has inherited the descriptor, too, has closed it.
  std::stop_token closed();

 private:
  int descriptor_ = -1;  // The same file, opened anew.
  long long mark_ = 0;   // Where nobody writes.
  std::stop_source closed_;
};

}  // namespace hapax::cli
