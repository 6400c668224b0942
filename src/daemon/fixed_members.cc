#include "daemon/fixed_members.h"

#include <fmt/format.h>
#include <utility>

#include "campaigns/peer_message.h"

namespace hapax {

FixedMembers::FixedMembers(const NodeConfig& config, MemberHost& host)
    : config_(config),
      host_(host),
      table_(membership(), config_.policy, {.elects_coordinator = true}),
      elected_(membership(), config_.election) {}

Result<std::unique_ptr<Members>> FixedMembers::create(boost::asio::io_context& io,
                                                      const NodeConfig& config, MemberHost& host) {
  std::unique_ptr<FixedMembers> made{new FixedMembers{config, host}};
  net::MeshOptions options = mesh_options_of(config);
  options.log = [&host](const std::string& line) { host.log(line); };
  auto opened = net::Mesh::create(io, std::move(options), made->mesh_handlers());
  if (!opened) return opened.error();
  made->mesh_ = std::move(*opened);
  return std::unique_ptr<Members>{std::move(made)};
}

net::MeshHandlers FixedMembers::mesh_handlers() {
  net::MeshHandlers mesh;
  mesh.on_message = [this](Seat from, std::span<const std::uint8_t> message) {
    on_message(from, message);
  };
  mesh.on_up = [this](Seat peer) {
    host_.log(fmt::format("member {} is here", number(peer) + 1));
    elected_.reach.up(place_of(peer), out_);
    flush();
  };
  mesh.on_down = [this](Seat peer, std::string_view why) {
    host_.log(fmt::format("member {} is away: {}", number(peer) + 1, why));
    elected_.reach.down(place_of(peer), out_);
    flush();
  };
  mesh.on_forgotten = [this](Seat peer) {
    host_.log(
        fmt::format("member {} came back without its memory: locks that it took part in may "
                    "wait for ever; restart the group, or let it run on an engine",
                    number(peer) + 1));
    elected_.coordination.forgotten(place_of(peer), out_);
    host_.on_forgotten(peer);
    flush();
  };
  return mesh;
}

void FixedMembers::on_message(Seat from, std::span<const std::uint8_t> message) {
  if (is_peer_message(message)) return host_.on_message(from, message);
  if (is_election(message)) {
    elected_.receive(place_of(from), message, out_);
  } else {
    table_.receive(place_of(from), message, out_);
  }
  flush();
}

void FixedMembers::flush() {
  settle_coordinator(elected_.coordination, table_, out_);
  // Together, and at once: nothing is to be waited for.
  std::optional<net::Mesh::Turn> turn;
  if (!out_.sends().empty()) turn.emplace(*mesh_);
  for (const Outbox::Send& send : out_.sends()) {
    if (mesh_->send(seat_of(send.to), out_.bytes(send))) continue;
    host_.log_once(fmt::format(
        "member {} has left too much unacknowledged: its link is no longer reliable; restart the "
        "group",
        number(send.to) + 1));
  }
  turn.reset();
  for (const Outbox::Complaint& complaint : out_.complaints()) {
    ++complaints_;
    host_.log_once(fmt::format("member {}: {}: {}", number(complaint.peer) + 1,
                               name_of(complaint.kind), complaint.text));
  }
  // Handlers only gather what they hear, so that nothing is added here meanwhile.
  for (const Grant& grant : out_.grants()) host_.on_granted(grant);
  for (const Outbox::Wanted& wanted : out_.wanted()) host_.on_wanted(wanted.waiter);
  out_.clear();
  host_.on_settled();
}

std::vector<Seat> FixedMembers::others() const {
  std::vector<Seat> others;
  for (std::uint32_t i = 0; i < membership().size; ++i) {
    if (Seat{i} != config_.self) others.push_back(Seat{i});
  }
  return others;
}

void FixedMembers::describe(session::State& state) const {
  for (std::uint32_t i = 0; i < membership().size; ++i) {
    state.members.push_back(config_.members[i].text());
    state.up.push_back(Seat{i} == config_.self || is_up(Seat{i}) ? 1 : 0);
  }
}

Result<void> FixedMembers::leave(std::chrono::milliseconds) {
  return error(
      "this group is a fixed list of members, which nobody can leave; to change it, "
      "restart the group or let it run on an engine (`hapax node --engine`)");
}
void FixedMembers::evict(const std::string&, std::function<void(std::string)> done) {
  done("this group is a fixed list of members: nobody can be evicted from it");
}

}  // namespace hapax
