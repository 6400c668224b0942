#include "certs/certs.h"

#include <boost/json.hpp>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "certs/kept_certs.h"
#include "console/json.h"
#include "console/number.h"
#include "console/show.h"
#include "console/table.h"
#include "console/usage.h"
#include "net/address.h"
#include "serve/commands.h"

namespace hapax::cli {
namespace {

struct CertsArguments {
  std::string folder;
  std::vector<std::string> members;
  std::vector<std::string> clients;
  int days = net::CertsPlan{}.days;
  bool force = false;
};

struct KeptArguments {
  std::string folder;
  std::vector<std::string> names;
  int days = net::CertsPlan{}.days;
  bool former = false;
  bool json = false;
};

// People paste their list of members: a port says nothing about who somebody is, and a Unix socket
// is on this machine.
std::string host_of(const std::string& member) {
  const Result<net::Address> address = net::parse_address(member);
  if (!address) return member;  // Just a host, or nonsense: make_certs() will say.
  return address->is_unix() ? "localhost" : address->host;
}

int write_certs(const CertsArguments& a, bool is_added) {
  if (a.folder.empty()) throw UsageError{"--dir is missing: where the certificates are"};
  if (a.members.empty() && a.clients.empty()) {
    throw UsageError{"--members is missing: for which hosts, as in --members db1,db2,db3"};
  }
  net::CertsPlan plan{a.folder, {}, a.days, a.force, a.clients, is_added};
  for (const std::string& member : a.members) plan.hosts.push_back(host_of(member));
  const auto files = net::make_certs(plan);
  if (!files) {
    const bool is_there = files.error().message.find("there already") != std::string::npos;
    throw UsageError{files.error().message + (is_there ? " (--force does)" : "")};
  }
  for (const auto& file : *files) fmt::print("{}\n", file.string());
  if (a.members.empty()) return kHolds;
  fmt::print(
      "Give each host ca.pem and its own member-N.pem and member-N.key. Keep ca.key off all of "
      "them:\nwhoever has it can make members.\n");
  return kHolds;
}

int run_certs(const CertsArguments& a) { return write_certs(a, false); }
int run_add(const CertsArguments& a) { return write_certs(a, true); }

int run_renew(const KeptArguments& a) {
  for (const auto& file : value_or_usage(net::renew_certs(a.folder, a.names, a.days))) {
    fmt::print("{}\n", file.string());
  }
  fmt::print(
      "Give each host its own; SIGHUP makes its daemon take them, and no link is dropped.\n");
  return kHolds;
}

int run_revoke(const KeptArguments& a) {
  fmt::print("{}\n",
             value_or_usage(net::revoke_certs(a.folder, a.names,
                                              a.former ? net::Which::former : net::Which::all))
                 .string());
  fmt::print(
      "Put it beside ca.pem on every host; SIGHUP makes the daemons read it. A connection that is "
      "open\nstays open: end what holds it.\n");
  return kHolds;
}

std::string day_of(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(seconds));
}

std::string state_of(const net::KeptCert& cert) {
  if (cert.is_revoked) return "revoked";
  const auto left = cert.until - std::chrono::system_clock::now();
  if (left.count() < 0) return "EXPIRED";
  return fmt::format("{} days left",
                     std::chrono::duration_cast<std::chrono::hours>(left).count() / 24);
}

int run_list(const KeptArguments& a) {
  const auto kept = value_or_usage(net::list_certs(a.folder));
  if (a.json) {
    boost::json::array rows;
    for (const net::KeptCert& cert : kept) {
      const auto unix_time = [](auto time) { return std::chrono::system_clock::to_time_t(time); };
      rows.push_back({{"name", cert.name},
                      {"host", cert.host},
                      {"serial", cert.serial},
                      {"from", unix_time(cert.from)},
                      {"until", unix_time(cert.until)},
                      {"revoked", cert.is_revoked}});
    }
    print_json({{"certificates", std::move(rows)}});
    return kHolds;
  }
  Table table;
  for (const char* title : {"name", "host", "until", "state"}) {
    table.column(title, Table::Align::left);
  }
  for (const net::KeptCert& cert : kept) {
    table.row({cert.name, cert.host, day_of(cert.until), state_of(cert)});
  }
  show("{}", table.text());
  return kHolds;
}

constexpr const char* kDays = "How long the certificates are valid";
constexpr std::uint32_t kMostDays = 36'500;

void add_new(Command& command, CertsArguments& a) {
  command.add("--members", &a.members, "Hosts of members, separated by commas; ports are ignored",
              {.is_comma_list = true});
  command.add("--clients", &a.clients, "Names of clients on other machines, separated by commas",
              {.is_comma_list = true});
  command.add("--days", &a.days, kDays,
              {.check = whole_number(1, kMostDays, " days"), .shows_default = true});
}

Command describe_add(CertsArguments& a) {
  Command command{"add", "More members and clients, by the authority that is there"};
  command.add("--dir", &a.folder, "Where the certificates are", {.required = true});
  add_new(command, a);
  command.footer =
      "Members are counted on from the last one that is there.\n"
      "Examples:\n"
      "  hapax certs add --dir certs --members db4\n"
      "  hapax certs add --dir certs --clients ci-runner,alice";
  return command;
}

// With the names of certificates.
Command describe_kept(KeptArguments& a, Command command, const char* names, bool needs_names) {
  command.add("NAMES", &a.names, names, {.required = needs_names, .value = "[NAME …]"});
  command.add("--dir", &a.folder, "Where the certificates are", {.required = true});
  return command;
}

Command describe_renew(KeptArguments& a) {
  Command command =
      describe_kept(a, {"renew", "New keys and certificates for the same names"},
                    "As in member-1 client-alice; all that are not revoked, if not said", false);
  command.add("--days", &a.days, kDays,
              {.check = whole_number(1, kMostDays, " days"), .shows_default = true});
  command.footer =
      "A daemon takes its new files on SIGHUP. Old certificates are good until they end.\n"
      "Examples:\n"
      "  hapax certs renew --dir certs\n"
      "  hapax certs renew --dir certs member-2 --days 90";
  return command;
}

Command describe_revoke(KeptArguments& a) {
  Command command = describe_kept(a, {"revoke", "Let nobody trust a certificate any more"},
                                  "As in member-3 client-alice", true);
  command.add("--former", &a.former, "Only those from before the last renewal");
  command.footer =
      "Writes crl.pem, which daemons and programs read if it lies beside ca.pem: copy it there, "
      "and\n"
      "reload the daemons. All that were ever made for that name are revoked.\n"
      "Examples:\n"
      "  hapax certs revoke --dir certs client-alice\n"
      "  hapax certs renew --dir certs member-3 && hapax certs revoke --dir certs member-3 "
      "--former";
  return command;
}

Command describe_list(KeptArguments& a) {
  Command command{"list", "Which there are, and until when they are good"};
  command.add("--dir", &a.folder, "Where the certificates are", {.required = true});
  command.add("--json", &a.json, "One JSON object instead of a table");
  command.footer = "Example:\n  hapax certs list --dir certs";
  return command;
}

Command describe_certs(CertsArguments& a) {
  Command command{"certs", "Certificates for the members and clients of a group"};
  command.add("--dir", &a.folder, "Where to write them");
  add_new(command, a);
  command.add("--force", &a.force, "Overwrite what is there");
  command.subcommands = {make_command(describe_add, run_add), make_command(describe_list, run_list),
                         make_command(describe_renew, run_renew),
                         make_command(describe_revoke, run_revoke)};
  command.footer =
      "Writes ca.pem, ca.key, and for each member member-N.pem and member-N.key, for each client\n"
      "client-NAME.pem and client-NAME.key (P-256, for TLS 1.3). Keys are readable by their owner "
      "only;\nnothing is overwritten without --force.\n"
      "Examples:\n"
      "  hapax certs --dir certs --members db1,db2,db3\n"
      "  hapax certs --dir certs --members 10.0.0.1:7400,10.0.0.2:7400,10.0.0.3:7400 --days 90\n"
      "  hapax certs --dir certs --clients ci-runner,alice\n"
      "  hapax certs list --dir certs";
  return command;
}

}  // namespace

Command certs_command() { return make_command(describe_certs, run_certs); }

}  // namespace hapax::cli
