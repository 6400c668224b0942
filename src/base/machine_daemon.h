// The daemon of this machine, as the packages install it: it runs as a user of its own, and who has
// no daemon of their own speaks to it.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace hapax {

inline constexpr std::string_view kMachineSocket = "/run/hapaxd/hapax.sock";

// Whom root has given the folder of that socket, if there is such a socket: nobody else can put one
// there, so that whoever answers may be believed as root is. Nothing if others could have.
std::optional<uid_t> server_by_root(const std::filesystem::path& socket);

// It is installed here, whether it runs or not: there is its socket, or the file of its settings.
bool has_machine_daemon();

// For somebody whom no daemon answers at that socket.
std::string_view how_to_start_a_daemon(const std::filesystem::path& socket);

}  // namespace hapax
