#include "direct_zookeeper/handle.h"

#include <array>
#include <mutex>
#include <utility>
#include <zookeeper/zookeeper.h>

#include "handles/library_thread.h"
#include "loop/loop.h"

namespace hapax::direct {
namespace {

void say_nothing(const char*) {}

}  // namespace

// What ZooKeeper's threads know of us. They may be calling when we are gone.
struct ZooHandle::Shared {
  explicit Shared(Loop& loop) : io(&loop) {}

  // On the loop, unless we are gone by then.
  void post(std::function<void()> work) {
    const std::lock_guard lock{mutex};
    if (io == nullptr) return;
    io->post([work = std::move(work), alive = std::weak_ptr<int>{alive}] {
      if (!alive.expired()) work();
    });
  }

  std::mutex mutex;
  Loop* io;  // Nothing: we are gone.
  std::shared_ptr<int> alive = std::make_shared<int>();
  OnEvent on_event;  // The loop's.
};

// An answer to come. ZooKeeper gives it back with the answer.
struct ZooHandle::Call {
  std::shared_ptr<Shared> shared;
  ZooThen then;
  ZooReply reply{};
  std::vector<std::array<char, 1024>> made{};
  std::vector<zoo_op_result_t> results{};

  static std::unique_ptr<Call> of(const void* held) {
    return std::unique_ptr<Call>{static_cast<Call*>(const_cast<void*>(held))};
  }
  static void give(std::unique_ptr<Call> call, ZooCode code) {
    call->reply.code = code;
    const auto shared = call->shared;
    shared->post([call = std::shared_ptr<Call>{std::move(call)}] { call->then(call->reply); });
  }

  static void done(int code, const void* held) {
    auto call = of(held);
    for (const auto& path : call->made) {
      if (code == ZOK) call->reply.names.emplace_back(path.data());
    }
    give(std::move(call), code);
  }
  static void text(int code, const char*, const void* held) { give(of(held), code); }
  static void stat(int code, const Stat* stat, const void* held) {
    auto call = of(held);
    if (code == ZOK) call->reply.czxid = stat->czxid;
    give(std::move(call), code);
  }
  static void data(int code, const char* data, int size, const Stat* stat, const void* held) {
    auto call = of(held);
    if (code == ZOK && size > 0) call->reply.data.assign(data, static_cast<std::size_t>(size));
    if (code == ZOK) call->reply.czxid = stat->czxid;
    give(std::move(call), code);
  }
  static void names(int code, const String_vector* names, const void* held) {
    auto call = of(held);
    if (code == ZOK) call->reply.names.assign(names->data, names->data + names->count);
    give(std::move(call), code);
  }
};

ZooHandle::ZooHandle(Loop& io, const std::string& servers, const std::string& login,
                     std::chrono::milliseconds ttl, OnEvent on_event)
    : shared_(std::make_shared<Shared>(io)), has_login_(!login.empty()) {
  shared_->on_event = std::move(on_event);
  // Never freed: ZooKeeper may call until it is closed, which is elsewhere.
  auto* context = new std::shared_ptr<Shared>{shared_};
  const auto event = [](zhandle_t*, int, int, const char* path, void* held) {
    const auto shared = *static_cast<std::shared_ptr<Shared>*>(held);
    shared->post([shared, at = std::string{path == nullptr ? "" : path}] { shared->on_event(at); });
  };
  handle_ = zookeeper_init2(servers.c_str(), event, static_cast<int>(ttl.count()), nullptr, context,
                            0, say_nothing);
  if (handle_ == nullptr) {
    delete context;
  } else if (has_login_) {
    zoo_add_auth(handle_, "digest", login.data(), static_cast<int>(login.size()), nullptr, nullptr);
  }
}

ZooHandle::~ZooHandle() {
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->io = nullptr;
    shared_->alive.reset();
  }
  if (handle_ == nullptr) {
    if (ended_) ended_();
    return;
  }
  auto* context =
      static_cast<std::shared_ptr<Shared>*>(const_cast<void*>(zoo_get_context(handle_)));
  client::do_elsewhere([handle = handle_, context, ended = std::move(ended_)] {
    zookeeper_close(handle);  // Whatever is under way is answered.
    delete context;
    if (ended) ended();
  });
}

bool ZooHandle::is_connected() const {
  return handle_ != nullptr && zoo_state(handle_) == ZOO_CONNECTED_STATE;
}
bool ZooHandle::is_over() const {
  return handle_ == nullptr || is_unrecoverable(handle_) == ZINVALIDSTATE;
}
std::chrono::milliseconds ZooHandle::ttl() const {
  return std::chrono::milliseconds{zoo_recv_timeout(handle_)};
}

const ACL_vector* ZooHandle::acl() const {
  return has_login_ ? &ZOO_CREATOR_ALL_ACL : &ZOO_OPEN_ACL_UNSAFE;
}

std::unique_ptr<ZooHandle::Call> ZooHandle::call(ZooThen then) {
  return std::unique_ptr<Call>{new Call{shared_, std::move(then)}};
}

// What ZooKeeper has accepted is its own, and is answered.
void ZooHandle::submit(std::unique_ptr<Call> call, ZooCode code) {
  if (code == ZOK) {
    (void)call.release();
  } else {
    Call::give(std::move(call), code);
  }
}

// ZooKeeper's client (3.8) frees what it was given if the session is over when a multi is asked
// for. From a connection to that it takes a while, so one that is connected now will do.
void ZooHandle::submit_all(std::unique_ptr<Call> call, const std::vector<zoo_op_t>& ops) {
  call->results.resize(ops.size());
  if (!is_connected())
    return submit(std::move(call), is_over() ? ZSESSIONEXPIRED : ZCONNECTIONLOSS);
  const ZooCode code = zoo_amulti(handle_, static_cast<int>(ops.size()), ops.data(),
                                  call->results.data(), Call::done, call.get());
  submit(std::move(call), code);
}

void ZooHandle::create_in_line(const std::vector<std::string>& paths, const std::string& data,
                               ZooThen then) {
  auto made = call(std::move(then));
  made->made.resize(paths.size());
  std::vector<zoo_op_t> ops(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    zoo_create_op_init(&ops[i], paths[i].c_str(), data.data(), static_cast<int>(data.size()), acl(),
                       ZOO_EPHEMERAL_SEQUENTIAL, made->made[i].data(),
                       static_cast<int>(made->made[i].size()));
  }
  submit_all(std::move(made), ops);
}

void ZooHandle::create(const std::string& path, bool as_container, ZooThen then) {
  auto made = call(std::move(then));
  // Others may want to stand in the same line: the folder is everybody's.
  const ZooCode code =
      zoo_acreate(handle_, path.c_str(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE,
                  as_container ? ZOO_CONTAINER : ZOO_PERSISTENT, Call::text, made.get());
  submit(std::move(made), code);
}

void ZooHandle::remove(const std::vector<std::string>& paths, ZooThen then) {
  auto made = call(std::move(then));
  std::vector<zoo_op_t> ops(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) zoo_delete_op_init(&ops[i], paths[i].c_str(), -1);
  submit_all(std::move(made), ops);
}

void ZooHandle::exists(const std::string& path, bool watches, ZooThen then) {
  auto made = call(std::move(then));
  const ZooCode code = zoo_aexists(handle_, path.c_str(), watches ? 1 : 0, Call::stat, made.get());
  submit(std::move(made), code);
}

void ZooHandle::get(const std::string& path, ZooThen then) {
  auto made = call(std::move(then));
  const ZooCode code = zoo_aget(handle_, path.c_str(), 0, Call::data, made.get());
  submit(std::move(made), code);
}

void ZooHandle::children(const std::string& path, bool watches, ZooThen then) {
  auto made = call(std::move(then));
  const ZooCode code =
      zoo_aget_children(handle_, path.c_str(), watches ? 1 : 0, Call::names, made.get());
  submit(std::move(made), code);
}

void ZooHandle::sync(ZooThen then) {
  auto made = call(std::move(then));
  const ZooCode code = zoo_async(handle_, "/", Call::text, made.get());
  submit(std::move(made), code);
}

}  // namespace hapax::direct
