// Input that makes no sense, as the laboratory has it: one line that says what to do, exit
// status 2.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "console/exit_status.h"

namespace hapax::cli {

struct UsageError : Failure {
  explicit UsageError(const std::string& what) : Failure(kUsage, what) {}
};

template <class T>
T value_or_usage(Result<T> result) {
  if (!result) throw UsageError{result.error().message};
  return std::move(*result);
}

}  // namespace hapax::cli
