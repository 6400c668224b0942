// The fence as users see it, for the rest of the house.
#pragma once

#include "base/ids.h"
#include "hapax/format.h"
