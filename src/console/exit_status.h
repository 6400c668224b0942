// Exit statuses. Of the laboratory: as of a test or a checker, so that scripts can tell a finding
// from a mistake. Of the commands that take locks: flock(1)'s where it has one, else sysexits'.
#pragma once

#include <stdexcept>
#include <string>

namespace hapax::cli {

inline constexpr int kHolds = 0;
inline constexpr int kViolated = 1;
inline constexpr int kUsage = 2;  // Or output that could not be written, as with grep.
inline constexpr int kUnfinished = 3;
inline constexpr int kOutOfMemory = 70;  // Or a bug.

inline constexpr int kConflict = 1;         // Somebody else has the lock, and nothing but that.
inline constexpr int kBadUsage = 64;        // EX_USAGE: the command line or the configuration.
inline constexpr int kUnavailable = 69;     // EX_UNAVAILABLE: no daemon answers, or it refuses.
inline constexpr int kSystem = 71;          // EX_OSERR: cannot fork, and the like.
inline constexpr int kLost = 75;            // EX_TEMPFAIL: the lock was lost and the job ended.
inline constexpr int kNoLease = 75;         // So, too: nobody can be granted it now. Never 1.
inline constexpr int kForbidden = 77;       // EX_NOPERM: roles, a socket's mode, a certificate.
inline constexpr int kNotExecutable = 126;  // As shells do.
inline constexpr int kNotFound = 127;
inline constexpr int kBySignal = 128;  // Plus the signal's number.

inline constexpr const char* kRunStatuses =
    "Exit status: that of CMD, 128+N if signal N ended it; or, before CMD ran or in its place,\n"
    "  1    somebody else has the lock (-n, -w), and nothing else; another with -E\n"
    "  64   usage\n"
    "  69   no daemon answers, or it refuses\n"
    "  71   the system refuses, e.g. to fork\n"
    "  75   the lock was lost, and CMD was ended; or (-n, -w) nobody can be granted it now: the\n"
    "       daemon has no lease, or a member that may hold it is away\n"
    "  77   not allowed: by the daemon's roles, its socket's mode, or our certificate\n"
    "  126  CMD cannot be executed\n"
    "  127  CMD was not found\n"
    "  130  ^C while waiting (128+N for signal N)";

inline constexpr const char* kLockStatuses =
    "Exit status: 0 fine, 1 somebody else has the lock, 64 usage, 69 no daemon answers, 75 lost, "
    "or\n"
    "nobody can be granted it now (the daemon has no lease, or a member that may hold it is "
    "away),\n"
    "77 not allowed, 128+N ended by signal N.";

inline constexpr const char* kElectStatuses =
    "Exit status: 0 fine (with CMD: that of CMD, 128+N if signal N ended it), 1 did not lead in "
    "time\nor nobody leads, 64 usage, 69 no daemon answers, 71 the system refuses, 75 the lead was "
    "lost,\nor CMD ended because the leader was asked to step down, or nobody can lead now since "
    "the "
    "daemon\nhas no lease, 126 or 127 CMD cannot be "
    "executed or\nwas not found, 128+N ended by signal N.";

inline constexpr const char* kShowStatuses =
    "Exit status: 0 fine, 64 usage, 69 no daemon answers, 77 not\nallowed.";

// One line for standard error, and the status to exit with.
struct Failure : std::runtime_error {
  Failure(int status_, const std::string& what) : std::runtime_error(what), status(status_) {}
  int status;
};

}  // namespace hapax::cli
