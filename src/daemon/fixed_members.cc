#include "daemon/fixed_members.h"

#include <fmt/format.h>
#include <utility>

#include "campaigns/gossip.h"

namespace hapax {

FixedMembers::FixedMembers(const NodeConfig& config, Handlers handlers)
    : config_(config),
      handlers_(std::move(handlers)),
      table_(membership(), config_.policy, {.elects_coordinator = true}),
      elected_(membership(), config_.election) {}

Result<std::unique_ptr<Members>> FixedMembers::create(boost::asio::io_context& io,
                                                      const NodeConfig& config, Handlers handlers) {
  std::unique_ptr<FixedMembers> made{new FixedMembers{config, std::move(handlers)}};
  FixedMembers* const self = made.get();
  net::MeshOptions options = mesh_options_of(config);
  options.log = self->handlers_.log;
  net::MeshHandlers mesh;
  mesh.on_message = [self](NodeId from, std::span<const std::uint8_t> message) {
    self->on_message(from, message);
  };
  mesh.on_up = [self](NodeId peer) {
    self->handlers_.log(fmt::format("member {} is here", number(peer) + 1));
    self->elected_.reach.up(peer, self->out_);
    self->flush();
  };
  mesh.on_down = [self](NodeId peer, std::string_view why) {
    self->handlers_.log(fmt::format("member {} is away: {}", number(peer) + 1, why));
    self->elected_.reach.down(peer, self->out_);
    self->flush();
  };
  mesh.on_forgotten = [self](NodeId peer) {
    self->handlers_.log(
        fmt::format("member {} came back without its memory: locks that it took part in may "
                    "wait for ever; restart the group, or let it run on an engine",
                    number(peer) + 1));
    self->elected_.coordination.forgotten(peer, self->out_);
    self->handlers_.on_forgotten(peer);
    self->flush();
  };
  auto opened = net::Mesh::create(io, std::move(options), std::move(mesh));
  if (!opened) return opened.error();
  self->mesh_ = std::move(*opened);
  return std::unique_ptr<Members>{std::move(made)};
}

void FixedMembers::on_message(NodeId from, std::span<const std::uint8_t> message) {
  if (is_gossip(message)) {
    handlers_.on_gossip(from, message);
  } else if (is_election(message)) {
    elected_.receive(from, message, out_);
  } else {
    table_.receive(from, message, out_);
  }
  flush();
}

void FixedMembers::flush() {
  settle_coordinator(elected_.coordination, table_, out_);
  // Together, and at once: nothing is to be waited for.
  std::optional<net::Mesh::Turn> turn;
  if (!out_.sends().empty()) turn.emplace(*mesh_);
  for (const Outbox::Send& send : out_.sends()) {
    if (mesh_->send(send.to, out_.bytes(send))) continue;
    handlers_.log_once(fmt::format(
        "member {} has left too much unacknowledged: its link is no longer reliable; restart the "
        "group",
        number(send.to) + 1));
  }
  turn.reset();
  for (const Outbox::Complaint& complaint : out_.complaints()) {
    ++complaints_;
    handlers_.log_once(fmt::format("member {}: {}: {}", number(complaint.peer) + 1,
                                   name_of(complaint.kind), complaint.text));
  }
  // Handlers only gather what they hear, so that nothing is added here meanwhile.
  for (const Outbox::Grant& grant : out_.grants()) {
    handlers_.on_granted(grant.waiter, grant.fence, table_.may_keep(out_.name(grant)));
  }
  for (const Outbox::Wanted& wanted : out_.wanted()) handlers_.on_wanted(wanted.waiter);
  out_.clear();
  handlers_.on_settled();
}

std::vector<NodeId> FixedMembers::others() const {
  std::vector<NodeId> others;
  for (std::uint32_t i = 0; i < membership().size; ++i) {
    if (NodeId{i} != config_.self) others.push_back(NodeId{i});
  }
  return others;
}

void FixedMembers::describe(session::State& state) const {
  for (std::uint32_t i = 0; i < membership().size; ++i) {
    state.members.push_back(config_.members[i].text());
    state.up.push_back(NodeId{i} == config_.self || is_up(NodeId{i}) ? 1 : 0);
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
