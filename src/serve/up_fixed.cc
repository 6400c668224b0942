#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "console/live_text.h"
#include "hapax/hapax.h"
#include "serve/fixed_group.h"
#include "serve/up.h"

namespace hapax::cli {
namespace {

constexpr std::chrono::seconds kToConnect{5};

bool are_all_up(const GroupStatus& status) {
  for (const bool up : status.up) {
    if (!up) return false;
  }
  return true;
}

}  // namespace

void up_fixed(const UpPlan& plan, Signals& signals) {
  FixedGroup group{
      {plan.arguments.size, plan.policy, plan.election, plan.sockets, plan.clients, {plan.usual}}};
  std::vector<std::unique_ptr<Client>> clients;
  for (const std::string& address : group.addresses()) {
    clients.push_back(std::make_unique<Client>(address));
  }
  const auto is_complete = [&] {
    return std::all_of(clients.begin(), clients.end(), [](const auto& client) {
      const GroupStatus status = client->status();
      return are_all_up(status) && status.obstacle.empty();  // It is in a view.
    });
  };
  const auto give_up = std::chrono::steady_clock::now() + kToConnect;
  while (!is_complete() && std::chrono::steady_clock::now() < give_up) {
    wait_for(signals, nullptr, 10);
  }
  group.settle();
  say_hello(plan);
  const auto board = [&] {
    std::string text;
    for (std::size_t i = 0; i < clients.size(); ++i) {
      const GroupStatus s = clients[i]->status();
      text += fmt::format("member {}  {}  {}  {}\n", i + 1, are_all_up(s) ? "up" : "alone",
                          counts_of(s), group.addresses()[i]);
    }
    return text;
  };
  show_until_signal(board, signals);
}

}  // namespace hapax::cli
