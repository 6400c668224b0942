// Who holds and who waits, as tables and lines show them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "hapax/client.h"

namespace hapax::cli {

// 850 ms, 12 s, 3 min 20 s, 5 h 12 min.
std::string show_since(std::chrono::milliseconds since);

// Without the program's folder, and of a long one the beginning; JSON has all of it.
std::string show_command(const std::string& command);

// db2; of a fixed list: member 2.
std::string show_member(const GroupStatus& status, std::uint32_t member);

// host pid 123 (make all)
std::string show_person(const Person& person);

// "bully, term 3: member 3 leads …; it coordinates `central`": what members elected.
std::string show_leader(const GroupStatus& status);

}  // namespace hapax::cli
