// A configuration file as somebody else wrote it. What is accepted is printed by --check-config,
// and must mean the same when it is read again.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/check.h"
#include "base/testing/fuzz.h"
#include "serve/node_plan.h"

namespace hapax::cli {
namespace {

// No files are opened.
void forget_files(NodeSettings& settings) {
  for (auto* file : {&settings.ca, &settings.cert, &settings.key, &settings.engine_ca,
                     &settings.engine_cert, &settings.engine_key, &settings.engine_user,
                     &settings.engine_password_file, &settings.restore}) {
    file->reset();
  }
}

}  // namespace
}  // namespace hapax::cli

HAPAX_FUZZ(settings, 2'000) {
  using namespace hapax::cli;
  auto settings = settings_in({reinterpret_cast<const char*>(input.data()), input.size()}, "fuzz");
  if (!settings) return;
  forget_files(*settings);
  const auto plan = plan_of(*settings);
  if (!plan) {
    HAPAX_CHECK(!plan.error().message.empty());
    return;
  }
  const std::string text = to_toml(*plan, *settings);
  const auto again = settings_in(text, "again");
  HAPAX_CHECK(again.has_value());
  const auto same = plan_of(*again);
  HAPAX_CHECK(same.has_value());
  HAPAX_CHECK(to_toml(*same, *again) == text);
}
