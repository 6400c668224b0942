#include "client/file_reads.h"

#include <utility>
#include <variant>

namespace hapax::client {
namespace {

// Whatever comes of that, files can be read without.
void ask_for_stamps(Connection& at, std::chrono::milliseconds patience) {
  session::Answer answer;
  try {
    if (at.ask(session::AskStamps{}, patience, answer)) return;
  } catch (const std::system_error&) {
    return;  // It is not allowed to know.
  }
  if (const auto* where = std::get_if<session::Told>(&answer)) {
    at.copies().use(session::FileStamps::open(where->text));
  }
}

}  // namespace

bool read_copy(Connection& at, const session::FileGet& asked, session::Answer& told) {
  if (asked.fresh || at.is_gone()) return false;
  auto copy = at.copies().find(asked.path, asked.at_least);
  if (!copy) return false;
  told = std::move(*copy);
  return true;
}

std::error_code read_file(Connection& at, const session::FileGet& asked,
                          std::chrono::milliseconds patience, session::Answer& told) {
  session::FileCopies& copies = at.copies();
  if (!asked.fresh && copies.wants_stamps()) ask_for_stamps(at, patience);
  const session::FileStamps::Stamp before = copies.stamp_of(asked.path);
  const std::error_code error = at.ask(asked, patience, told);
  if (error) return error;
  if (const auto* file = std::get_if<session::FileTold>(&told)) {
    copies.keep(asked.path, before, *file);
  }
  return {};
}

}  // namespace hapax::client
