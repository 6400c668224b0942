#include "lab_commands/lab_commands.h"

namespace hapax::cli {

Command describe_audit(AuditArguments& a) {
  Command command{"audit", "Judge what clients of locks have noted", kLockGroup};

  command.add("FILE", &a.files, "Histories that belong together; - for standard input",
              {.required = true});
  command.add("--json", &a.json, "One JSON object instead of text");
  command.footer =
      "A history has one JSON object a line, with client, op (acquire, release, lost, read, write\n"
      "or end), lock, call, ret, ok and fence, times in nanoseconds of one monotonic clock;\n"
      "docs/operations.md says more. Found are holders at the same time, fences that go back,\n"
      "accesses that came too late, lost updates, and waiters that nobody served. Lines with file in\n"
      "place of lock are of files: stale reads, swaps of another version, writes out of order.\n"
      "Examples:\n"
      "  hapax audit history.jsonl\n"
      "  hapax audit worker-*.jsonl --json | jq .counts\n"
      "Exit status: 0 no findings, 1 findings, 64 usage, or no history.";
  return command;
}

}  // namespace hapax::cli
