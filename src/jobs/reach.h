// What every command that talks to a daemon begins with.
#pragma once

#include <string>
#include <system_error>

#include "console/command.h"
#include "hapax/client.h"

namespace hapax::cli {

// What a command wants of whoever it reaches.
enum class Purpose {
  asks,         // A daemon, about its group, …
  hears,        // … or to be told what happens.
  looks,        // A daemon or an engine, about a name, …
  keeps_files,  // … about files, …
  takes_locks   // … or for a lock.
};

// Adds --address, --ca, --cert and --key, --server-user and --insecure; and, if an engine will do,
// what that needs.
void add_address(Command& command, std::string* address, Purpose purpose = Purpose::asks);

// If the address is cells:FILE: the one that serves this name, and what the name is there. Throws
// Failure.
void find_cell(std::string& address, std::string& name);

// Whether this command line takes locks on an engine itself, or looks at them there: for main(),
// which then hands over to a program that knows engines.
bool goes_to_engine(char** argv);

// Connects; an empty address is the usual one. Throws Failure that says what to do.
Client reach(const std::string& address, Purpose purpose = Purpose::asks);

// The same for what is asked later. REQUIRES: error.
[[noreturn]] void fail(std::error_code error, const std::string& what);

// The same, with what the daemon said of rights.
[[noreturn]] void fail(const std::system_error& error, const std::string& what);

// What its daemon says of the group. Throws Failure, about `what`.
GroupStatus status_of(Client& client, const std::string& what);

// What was said of this very error, without what is said of all of its kind.
std::string words_of(const std::system_error& error);

// Throws Failure if no leader can proclaim that value. REQUIRES: not empty.
void require_value(const char* flag, const std::string& value);

// Throws Failure if no lock can have that name.
void require_lock_name(const std::string& name);

}  // namespace hapax::cli
