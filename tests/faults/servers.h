// Engines that are servers, each on a host of its own.
#pragma once

#include <memory>

#include "faults/engine.h"
#include "faults/network.h"
#include "faults/plan.h"

namespace hapax::faults {

std::unique_ptr<EngineUnderTest> start_etcd(const Plan& plan, Network& network);
std::unique_ptr<EngineUnderTest> start_zookeeper(const Plan& plan, Network& network);

}  // namespace hapax::faults
