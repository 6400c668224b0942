// What can go wrong, as std::error_code of one category.
#pragma once

#include <system_error>

namespace hapax {

// Why a call failed.
enum class Errc {
  unreachable = 1,  // No daemon answers at that address.
  lost,             // The daemon is gone or silent, and with it every lock it granted.
  timed_out,        // The lock was not granted in time: somebody else has it.
  cancelled,        // The wait was called off.
  bad_name,         // No lock can have that name: UTF-8, 1 … 512 bytes, no control characters.
  bad_address,      // Neither unix:/path nor host:port.
  refused,          // The daemon will not do that; it is full, or too old, or shutting down.
  not_held,         // Nothing to release.
  protocol,         // The other side does not speak our language.
  bad_gate,         // What should remember the highest fence makes no sense: nobody may pass.
  no_transaction,   // A gate in a database is asked outside a transaction.
  bad_value,        // No leader can proclaim that: UTF-8, at most 512 bytes, no control characters.
  no_candidate,     // Nobody campaigns with that value, or a member did not answer.
  no_leader,        // Nobody leads, or a member did not answer.
  // Nobody we trust listens there: not ourselves, not root, not whom we named; or nobody with a
  // certificate of our authority that is good now and a member's.
  untrusted,
  // The daemon's roles give us no right to that; or its socket's mode does not let us in, or it
  // refuses our certificate.
  forbidden,
  forked,  // Made by the parent of this process, before fork(): of no use here.
  // It was not granted in time, and not because somebody is known to hold it: the daemon has no
  // lease, since its engine does not answer, say; or a member is away that may hold it or has to
  // be asked. GroupStatus::obstacle and GroupStatus::away say which.
  unavailable,
  conflict,  // The file has not the version that was said, and was left as it is.
  // It may have been done, and it may still be: no answer came. Read it fresh, and act only on
  // condition of the version that you read.
  unknown_outcome,
  stale_fence  // It is not the present holder's: the file was left as it is.
};

// Its messages are sentences that say what to do.
const std::error_category& error_category() noexcept;
// For `error == Errc::lost`.
std::error_code make_error_code(Errc errc) noexcept;

}  // namespace hapax

// @cond What makes an Errc an std::error_code by itself.
template <>
struct std::is_error_code_enum<hapax::Errc> : std::true_type {};
// @endcond
