// Who holds and who waits, as tables, lines and JSON show them.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <string>

#include "hapax/client.h"

namespace hapax::cli {

// 850 ms, 12 s, 3 min 20 s, 5 h 12 min.
std::string show_since(std::chrono::milliseconds since);

// Its beginning, if it is long; JSON has all of it.
std::string show_command(const std::string& command);

// host pid 123 (make all)
std::string show_person(const Person& person);

boost::json::object json_of(const Person& person);
boost::json::object json_of(const LockInfo& lock);

}  // namespace hapax::cli
