// Waiting for the events of an epoll.
#pragma once

#include <chrono>
#include <span>
#include <sys/epoll.h>

#include "loop/wakefulness.h"

namespace hapax {

// How many there are, by now or by then; rounded up, so that what is due then is due. A signal may
// end a wait early, with none.
int look_for_events(int epoll, std::span<epoll_event> events);
int wait_for_events(int epoll, std::span<epoll_event> events,
                    std::chrono::steady_clock::time_point end, Wakefulness& wakefulness);

}  // namespace hapax
