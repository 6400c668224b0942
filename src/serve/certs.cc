#include "certs/certs.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

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

// People paste their list of members: a port says nothing about who somebody is, and a Unix socket
// is on this machine.
std::string host_of(const std::string& member) {
  const Result<net::Address> address = net::parse_address(member);
  if (!address) return member;  // Just a host, or nonsense: make_certs() will say.
  return address->is_unix() ? "localhost" : address->host;
}

int run_certs(const CertsArguments& a) {
  if (a.members.empty() && a.clients.empty()) {
    throw UsageError{"--members is missing: for which hosts, as in --members db1,db2,db3"};
  }
  net::CertsPlan plan{a.folder, {}, a.days, a.force, a.clients};
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

Command describe_certs(CertsArguments& a) {
  Command command{"certs", "Certificates for the members and clients of a group"};
  command.add("--dir", &a.folder, "Where to write them", {.required = true});
  command.add("--members", &a.members,
              "Hosts of member 1, 2, …, separated by commas; ports are ignored",
              {.is_comma_list = true});
  command.add("--clients", &a.clients,
              "Names of clients on other machines, separated by commas; without --members by "
              "the authority that is there",
              {.is_comma_list = true});
  command.add("--days", &a.days, "How long the certificates are valid", {.shows_default = true});
  command.add("--force", &a.force, "Overwrite what is there");
  command.footer =
      "Writes ca.pem, ca.key, and for each member member-N.pem and member-N.key, for each client\n"
      "client-NAME.pem and client-NAME.key (P-256, for TLS 1.3). Keys are readable by their owner "
      "only;\nnothing is overwritten without --force.\n"
      "Examples:\n"
      "  hapax certs --dir certs --members db1,db2,db3\n"
      "  hapax certs --dir certs --members 10.0.0.1:7400,10.0.0.2:7400,10.0.0.3:7400 --days 90\n"
      "  hapax certs --dir certs --clients ci-runner,alice";
  return command;
}

}  // namespace

Command certs_command() { return make_command(describe_certs, run_certs); }

}  // namespace hapax::cli
