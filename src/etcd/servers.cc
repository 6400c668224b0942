#include "etcd/servers.h"

#include <etcd.pb.h>  // Generated from etcd.proto.
#include <fmt/format.h>
#include <fstream>
#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <iterator>

namespace hapax::engine::etcd {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookAgain{10};    // While no server is connected.
constexpr milliseconds kKnockAgain{200};  // After we were not let in.

std::string contents_of(const std::string& file) {
  if (file.empty()) return {};
  std::ifstream stream{file};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

std::shared_ptr<grpc::ChannelCredentials> credentials(const Options& options) {
  if (!options.tls) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({contents_of(options.tls->authority), contents_of(options.tls->key),
                               contents_of(options.tls->certificate)});
}

grpc::ChannelArguments arguments() {
  grpc::ChannelArguments arguments;
  // A call is made once, by us: no retries that a name server or a proxy could bring in.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Engines of one process fail independently, as those of several do.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  // A watch on a dead connection would wait for ever. If pinged more often than every 5 s, etcd
  // hangs up.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 3'000);
  arguments.SetMaxReceiveMessageSize(64 << 20);
  return arguments;
}

// gRPC ends with the last thing that uses it, on a thread of its own, and 1.51 may abort
// ("assertion failed: prior > 0") when it ends as the next one begins. So it never ends.
void keep_grpc() {
  static const bool is_kept = [] {
    grpc_init();
    return true;
  }();
  (void)is_kept;
}

}  // namespace

Result<std::unique_ptr<Servers>> Servers::create(Loop& io, const Url& url, const Options& options) {
  keep_grpc();
  std::unique_ptr<Servers> servers{new Servers{io, options}};
  for (const Endpoint& endpoint : url.endpoints) {
    servers->channels_.push_back(
        grpc::CreateCustomChannel(endpoint.text(), credentials(options), arguments()));
  }
  servers->connected();  // Begins to connect.
  return servers;
}

std::size_t Servers::connected() {
  std::size_t found = size();
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t server = (current_ + i) % size();
    const bool ready = channels_[server]->GetState(/*try_to_connect=*/true) == GRPC_CHANNEL_READY;
    if (ready && found == size()) found = server;
  }
  return found;
}

void Servers::when_ready(std::function<bool()> wanted, std::function<void(std::size_t)> go) {
  io_.post([this, alive = alive(), wanted = std::move(wanted), go = std::move(go)]() mutable {
    if (alive.expired()) return;
    again(std::make_shared<Timer>(io_), std::move(wanted), std::move(go));
  });
}

void Servers::again(std::shared_ptr<Timer> timer, std::function<bool()> wanted,
                    std::function<void(std::size_t)> go) {
  if (!wanted()) return;
  const std::size_t server = connected();
  const bool let_in = options_.user.empty() || !token_.empty();
  if (server < size() && let_in) return go(server);
  if (server < size() && !authenticating_) authenticate(server);
  timer->expires_after(kLookAgain);
  timer->async_wait([this, alive = alive(), timer, wanted = std::move(wanted),
                     go = std::move(go)](auto failed) mutable {
    if (!failed && !alive.expired()) again(timer, std::move(wanted), std::move(go));
  });
}

void Servers::authenticate(std::size_t server) {
  authenticating_ = true;
  AuthenticateRequest request;
  request.set_name(options_.user);
  request.set_password(options_.password);
  call<AuthenticateRequest, AuthenticateResponse>(
      server, "/etcdserverpb.Auth/Authenticate", std::move(request),
      std::chrono::steady_clock::now() + options_.timeout,
      [this, server](const grpc::Status& status, AuthenticateResponse& response) {
        token_ = response.token();
        if (status.ok()) {
          authenticating_ = false;
          return;
        }
        failed(server, status);
        retry_.expires_after(kKnockAgain);
        retry_.async_wait([this, alive = alive()](auto cancelled) {
          if (!cancelled && !alive.expired()) authenticating_ = false;
        });
      });
}

void Servers::introduce(grpc::ClientContext& context) const {
  context.AddMetadata("hasleader", "true");
  if (!token_.empty()) context.AddMetadata("token", token_);
}

void Servers::failed(std::size_t server, const grpc::Status& status) {
  if (wants_a_new_token(status)) token_.clear();
  failed(server, status.error_message());
}

void Servers::failed(std::size_t server, const std::string& why) {
  health_.ill(fmt::format("etcd: {}", why));
  if (server == current_) next();
}

bool Servers::answered(std::uint64_t cluster) {
  const auto now = std::chrono::steady_clock::now();
  // All of it may have been set up anew, from a copy or from nothing. Whoever reads will notice.
  const bool is_gone = now - heard_ > 8 * options_.timeout;
  if (cluster_ == 0 || is_gone) cluster_ = cluster;
  if (cluster == cluster_) {
    heard_ = now;
    health_.well();
    return true;
  }
  health_.ill("etcd: the endpoints belong to different clusters; name those of one");
  return false;
}

}  // namespace hapax::engine::etcd
