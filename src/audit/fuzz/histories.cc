// Histories as programs wrote them that crashed, and as nobody would.
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>

#include "audit/judge.h"
#include "audit/read.h"
#include "base/check.h"
#include "base/testing/fuzz.h"

HAPAX_FUZZ(histories, 5'000) {
  using namespace hapax::audit;
  std::istringstream stream{{reinterpret_cast<const char*>(input.data()), input.size()}};
  History history;
  const auto cut = read_history(stream, "fuzz", history);
  HAPAX_CHECK((!cut || *cut <= 1));
  const Report report = judge(history);
  HAPAX_CHECK(report.events <= history.events().size());
}
