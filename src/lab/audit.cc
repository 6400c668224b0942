#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "audit/judge.h"
#include "audit/read.h"
#include "console/exit_status.h"
#include "console/json.h"
#include "console/table.h"
#include "console/usage.h"
#include "lab/run.h"

namespace hapax::cli {
namespace {

// What a person reads; --json has up to Report::kMostFindings.
constexpr std::size_t kMostShown = 20;

std::size_t add_file(const std::string& file, audit::History& history) {
  std::ifstream opened;
  if (file != "-") {
    opened.open(file);
    if (!opened) throw Failure{kBadUsage, fmt::format("'{}' cannot be opened", file)};
  }
  std::istream& stream = file == "-" ? std::cin : opened;
  const auto cut_off = audit::read_history(stream, file, history);
  if (!cut_off) throw Failure{kBadUsage, cut_off.error().message};
  return *cut_off;
}

void print_as_json(const audit::History& history, const audit::Report& r,
                   const audit::FileFindings& files, std::size_t cut_off) {
  boost::json::object counts;
  for (std::size_t i = 0; i < audit::kKinds; ++i) {
    counts[audit::name_of(static_cast<audit::Kind>(i))] = r.counts[i];
  }
  boost::json::array findings;
  for (const audit::Finding& f : r.findings) {
    findings.push_back(boost::json::object{{"kind", audit::name_of(f.kind)},
                                           {"lock", history.name_of(f.lock)},
                                           {"at_ns", f.at},
                                           {"text", f.text}});
  }
  boost::json::array file_findings;
  for (const audit::FileFinding& f : files) {
    file_findings.push_back(boost::json::object{
        {"kind", audit::name_of(f.kind)}, {"file", f.file}, {"at_ns", f.at}, {"text", f.text}});
  }
  print_json({{"fine", r.is_fine() && files.empty()},
              {"events", r.events},
              {"file_events", history.files().size()},
              {"file_findings", std::move(file_findings)},
              {"cut_off_lines", cut_off},
              {"clients", history.clients()},
              {"locks", history.locks()},
              {"duration_ns", r.to - r.from},
              {"entries", r.entries},
              {"told", r.told},
              {"losses", r.losses},
              {"longest_wait_ns", r.longest_wait},
              {"reads", r.reads},
              {"refused_reads", r.refused_reads},
              {"writes", r.writes},
              {"refused_writes", r.refused_writes},
              {"unknown_writes", r.unknown_writes},
              {"counts", std::move(counts)},
              {"findings", std::move(findings)}});
}

void print_files(const audit::History& history, const audit::FileFindings& findings) {
  const auto copied = std::count_if(history.files().begin(), history.files().end(),
                                    [](const audit::FileEvent& event) { return event.copied; });
  fmt::print("{} events of files, {} of them reads of a client's own copy: {}\n",
             history.files().size(), copied,
             findings.empty() ? "no findings." : fmt::format("{} findings", findings.size()));
  for (std::size_t i = 0; i < std::min(kMostShown, findings.size()); ++i) {
    const audit::FileFinding& f = findings[i];
    fmt::print("{}: {}: {}\n", audit::name_of(f.kind), f.file, f.text);
  }
}

void print_text(const audit::History& history, const audit::Report& r) {
  const auto seconds = [](audit::Nanos nanos) { return static_cast<double>(nanos) / 1e9; };
  fmt::print("{} events of {} clients on {} locks in {:.3f} s\n", r.events, history.clients(),
             history.locks(), seconds(r.to - r.from));
  fmt::print("{} entries, {} waits that failed, {} losses told, longest wait {:.3f} s\n", r.entries,
             r.told, r.losses, seconds(r.longest_wait));
  fmt::print("{} reads ({} refused), {} writes ({} refused, {} unknown)\n\n", r.reads,
             r.refused_reads, r.writes, r.refused_writes, r.unknown_writes);
  if (r.is_fine()) {
    fmt::print("No findings.\n");
    return;
  }
  Table table;
  table.column("finding", Table::Align::left);
  table.column("times");
  std::size_t all = 0;
  for (std::size_t i = 0; i < audit::kKinds; ++i) {
    if (r.counts[i] == 0) continue;
    all += r.counts[i];
    table.row(
        {std::string{audit::name_of(static_cast<audit::Kind>(i))}, fmt::format("{}", r.counts[i])});
  }
  fmt::print("{}\n", table.text());
  const std::size_t shown = std::min(kMostShown, r.findings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const audit::Finding& f = r.findings[i];
    fmt::print("{}: {}: {}\n", audit::name_of(f.kind), history.name_of(f.lock), f.text);
  }
  if (shown < all) fmt::print("… and {} more; --json shows more of them\n", all - shown);
}

}  // namespace

int run_audit(const AuditArguments& a) {
  audit::History history;
  std::size_t cut_off = 0;
  for (const std::string& file : a.files) cut_off += add_file(file, history);
  if (history.events().empty() && history.files().empty()) {
    throw Failure{kBadUsage, "there is no event in there; a history has one JSON object a line"};
  }
  const audit::Report report = audit::judge(history);
  const audit::FileFindings files = audit::judge_files(history.files());
  if (a.json) {
    print_as_json(history, report, files, cut_off);
  } else {
    if (!history.events().empty()) print_text(history, report);
    if (!history.files().empty()) print_files(history, files);
  }
  return report.is_fine() && files.empty() ? kHolds : kViolated;
}

}  // namespace hapax::cli
