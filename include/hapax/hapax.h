// hapax: at most one, across machines. All that a program needs.
#pragma once

#include "hapax/client.h"
#include "hapax/election.h"
#include "hapax/error.h"
#include "hapax/events.h"
#include "hapax/fence.h"
#include "hapax/file.h"
#include "hapax/gate.h"
#include "hapax/mutex.h"
#include "hapax/node.h"
#include "hapax/semaphore.h"
#include "hapax/shared_mutex.h"
