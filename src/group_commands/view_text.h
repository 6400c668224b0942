// A group on an engine, as `hapax status` and `hapax members` show it.
#pragma once

#include <string>

#include "hapax/client.h"

namespace hapax::cli {

// Engine, lease, and who is there.
void print_view(const ViewStatus& view, const std::string& obstacle);
std::string show_lease(const ViewStatus& view, const std::string& obstacle);
void print_members(const ViewStatus& view);

// As a cell of a table: a release that is not known is -.
std::string show_release(const std::string& release);
// A line for each thing that people should know about who runs which release; empty: nothing.
std::string release_warnings(const GroupStatus& status);
// A line about settings that were set while members ran; nothing if none were, or we may not know.
void print_set_settings(const std::string& address);

// A line on how long the daemon is believed to be who it is.
std::string show_certificate(const GroupStatus::Certificate& certificate);

}  // namespace hapax::cli
