// hapax. Scripts start `hapax run` often, and most of what that takes is loading libraries: so
// `run` over Unix sockets is all that is in here, and the rest is in hapax-commands.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <malloc.h>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/commands.h"
#include "client/tls_session.h"
#include "console/become.h"
#include "console/exit_status.h"
#include "hapax/client.h"
#include "jobs/reach.h"

// In the place of the client's own, which needs OpenSSL: the linker takes the first that it finds.
hapax::Result<std::shared_ptr<hapax::client::TlsIdentity>> hapax::client::load_identity(
    const net::TlsFiles&) {
  return error("TLS is of hapax-commands");  // Which was handed over to before.
}

namespace hapax::cli {
namespace {

bool is_over_tcp(const std::string& given) {
  const ClientOptions options =
      Client::options_for(given.empty() ? Client::default_address() : given);
  return std::any_of(options.addresses.begin(), options.addresses.end(),
                     [](const std::string& address) {
                       return !address.starts_with("unix:") && !address.starts_with('/');
                     });
}

int start(int argc, char** argv) try {
  mallopt(M_ARENA_MAX, 1);  // A heap for each thread takes longer than they live.
  const auto all_commands = [argv] {
    become("hapax-commands", argv,
           argv[1] == nullptr ? "hapax" : fmt::format("`hapax {}`", argv[1]));
  };
  if (goes_to_engine(argv)) {
    become("hapax-engines", argv, fmt::format("`hapax {}` on an engine", argv[1]));
  }
  if (argc < 2 || std::string_view{argv[1]} != "run") all_commands();
  Program program;
  program.commands = {run_command([&](const std::string& address) {
    if (is_over_tcp(address)) all_commands();
  })};
  return run_program(program, argc, argv);
} catch (const Failure& e) {
  fmt::print(stderr, "hapax: {}\n", e.what());
  return e.status;
}

}  // namespace
}  // namespace hapax::cli

int main(int argc, char** argv) { return hapax::cli::start(argc, argv); }
