// What the laboratory's commands do. Each returns the exit status, or throws.
#pragma once

#include "lab_commands/lab_commands.h"

namespace hapax::cli {

int run_algorithms(const AlgorithmsArguments& a);
int run_compare(const CompareArguments& a);
int run_sim(const SimArguments& a, const Given& given);
int run_check(const CheckArguments& a, const Given& given);
int run_check_redlock(const CheckArguments& a);
int run_check_views(const CheckArguments& a);
int run_trace(const TraceArguments& a);
int run_replay(const ReplayArguments& a);
int run_audit(const AuditArguments& a);

}  // namespace hapax::cli
