#include "live/live.h"

#include <algorithm>
#include <array>
#include <deque>
#include <list>
#include <optional>
#include <utility>

#include "base/release.h"
#include "client/answers.h"
#include "console/json.h"
#include "group_json/group_json.h"
#include "live/feed.h"
#include "live/live_json.h"
#include "live/page_files.h"
#include "live/passes.h"
#include "live/routes.h"
#include "live/trace_json.h"
#include "loop/timer.h"
#include "net/listener.h"
#include "streams/stream.h"
#include "waits/families.h"

namespace hapax::live {

using boost::system::error_code;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kMostVisits = 64;
constexpr std::size_t kMostStreams = 16;
constexpr std::size_t kMostUnread = std::size_t{4} << 20;  // Bytes that a stream has not taken.
constexpr std::chrono::seconds kMostSilence{30};           // Of one that takes nothing.

Time unix_time() {
  return std::chrono::duration_cast<Time>(std::chrono::system_clock::now().time_since_epoch());
}

GroupStatus status_of(session::State&& state) {
  GroupStatus status = client::status_of(std::move(state));
  status.release = release();
  return status;
}

HttpReply file_reply(std::string_view path) {
  const auto files = page_files();
  const auto at = std::find_if(files.begin(), files.end(),
                               [&](const PageFile& file) { return file.path == path; });
  if (at != files.end()) {
    const char* type = path.ends_with(".html")  ? "text/html; charset=utf-8"
                       : path.ends_with(".js")  ? "text/javascript; charset=utf-8"
                       : path.ends_with(".css") ? "text/css; charset=utf-8"
                                                : "application/octet-stream";
    return guarded(200, std::string{at->bytes}, type);
  }
  if (!files.empty() || path != "index.html") return refusal(404, "there is no such file");
  return guarded(
      404,
      "This hapax was built without its live page. In a clone of it, scripts/page live "
      "builds the page,\nand the next build of hapax (./run) has it. What the page shows "
      "is at /v1/… (docs/live.md).\n",
      "text/plain; charset=utf-8");
}

}  // namespace

// A connection: one question, one answer; or a stream of events. It lives until the socket is
// closed.
class LiveVisit : public EventStream, public std::enable_shared_from_this<LiveVisit> {
 public:
  // What it needs of the page.
  struct Host {
    std::function<void(const std::shared_ptr<LiveVisit>&, const HttpRequest&)> on_request;
    std::function<void(LiveVisit&)> on_taken, on_gone;
    std::chrono::milliseconds patience{};
  };

  LiveVisit(net::Socket socket, Host host)
      : stream_(std::move(socket), nullptr), timer_(stream_.loop()), host_(std::move(host)) {}

  void start() {
    expect_within(host_.patience);
    read();
  }
  bool has_asked() const { return has_asked_; }
  // The answer will take so long.
  void wait(std::chrono::milliseconds time) { expect_within(time + host_.patience); }
  void answer(const HttpReply& reply) {
    is_last_ = true;
    send(http_text(reply, wants_text_));
  }
  // From now on it is told events.
  void stream_to(const Caller& caller) {
    caller_ = caller;
    is_stream_ = true;
    send(http_head(guarded(200, "", "text/event-stream")));
    read();  // Only to hear when it hangs up.
  }
  bool is_stream() const { return is_stream_; }
  void close() {
    if (std::exchange(is_closed_, true)) return;
    stream_.shut_down_sending();
    stream_.close();
    timer_.cancel();
    host_.on_gone(*this);
  }

  const Caller& caller() const override { return caller_; }
  void tell(std::string_view event, const std::string& json) override {
    send(fmt::format("event: {}\ndata: {}\n\n", event, json));
  }
  void end() override { close(); }

 private:
  void expect_within(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->close();
    });
  }

  void read() {
    if (is_closed_) return;
    stream_.async_read_some(chunk_,
                            [self = shared_from_this()](const error_code& error, std::size_t n) {
                              error || n == 0 ? self->close() : self->take(n);
                            });
  }

  void take(std::size_t count) {
    if (is_stream_) return read();  // It has nothing more to say.
    received_.append(chunk_.begin(), chunk_.begin() + static_cast<std::ptrdiff_t>(count));
    if (!has_whole_head(received_)) return read();
    has_asked_ = true;
    const auto asked = http_request(received_);
    if (const auto* wrong = std::get_if<HttpReply>(&asked)) {
      return answer(guarded(wrong->code, wrong->text, wrong->type));
    }
    const auto& request = std::get<HttpRequest>(asked);
    wants_text_ = request.wants_text;
    host_.on_request(shared_from_this(), request);
  }

  void send(std::string text) {
    if (is_closed_) return;
    unread_ += text.size();
    if (is_stream_ && unread_ > kMostUnread) return close();
    queue_.push_back(std::move(text));
    if (queue_.size() == 1) write();
  }

  void write() {
    expect_within(is_stream_ ? kMostSilence : host_.patience);
    stream_.async_write(net::bytes_of(queue_.front()),
                        [self = shared_from_this()](const error_code& error, std::size_t) {
                          error ? self->close() : self->on_written();
                        });
  }

  void on_written() {
    if (is_closed_) return;
    unread_ -= queue_.front().size();
    queue_.pop_front();
    if (!queue_.empty()) return write();
    timer_.cancel();
    if (is_last_) return close();
    host_.on_taken(*this);
  }

  net::Stream stream_;
  Timer timer_;
  Host host_;
  std::array<std::uint8_t, 1024> chunk_{};
  std::string received_;
  std::deque<std::string> queue_;
  std::size_t unread_ = 0;
  Caller caller_;
  bool has_asked_ = false;
  bool wants_text_ = true;
  bool is_stream_ = false;
  bool is_last_ = false;
  bool is_closed_ = false;
};

class Live::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(Loop& io, LiveHost host, std::chrono::milliseconds patience)
      : host_(std::move(host)), timer_(io), patience_(patience) {}

  Result<void> listen(Loop& io, const net::Address& address) {
    feed_ = std::make_shared<Feed>(feed_host());
    auto listener =
        net::Listener::open(io, address, [this](net::Socket s) { receive(std::move(s)); });
    if (!listener) return listener.error();
    listener_ = std::move(*listener);
    listener_->start();
    return {};
  }
  const net::Address& address() const { return listener_->address(); }
  Result<std::string> place_for(const Caller& caller) {
    const auto pass = passes_.issue(caller, steady_clock::now());
    if (!pass) return pass.error();
    return {boost::system::in_place_value, fmt::format("http://{}/#{}", address().text(), *pass)};
  }
  void note(const std::string& line, LogLevel level) {
    if (!is_closed_) feed_->note(line, level);
  }
  void close() {
    if (std::exchange(is_closed_, true)) return;
    if (listener_) listener_->close();
    timer_.cancel();
    const auto visits = visits_;
    for (const auto& visit : visits) visit->close();
  }

 private:
  using Visit = std::shared_ptr<LiveVisit>;

  // Whoever sits there and asks nothing makes way for the next.
  void receive(net::Socket socket) {
    if (visits_.size() >= kMostVisits) {
      const auto idle = std::find_if(visits_.begin(), visits_.end(),
                                     [](const Visit& visit) { return !visit->has_asked(); });
      if (idle == visits_.end()) return;  // Closing it is also an answer.
      Visit { *idle } -> close();
    }
    const auto weak = weak_from_this();
    LiveVisit::Host host{.on_request =
                             [weak](const Visit& visit, const HttpRequest& request) {
                               if (const auto self = weak.lock()) self->on_request(visit, request);
                             },
                         .on_taken =
                             [weak](LiveVisit& visit) {
                               if (const auto self = weak.lock()) self->feed_->go_on(visit);
                             },
                         .on_gone =
                             [weak](LiveVisit& visit) {
                               const auto self = weak.lock();
                               if (!self) return;
                               self->feed_->leave(visit);
                               self->visits_.remove(visit.shared_from_this());
                             },
                         .patience = patience_};
    visits_.push_back(std::make_shared<LiveVisit>(std::move(socket), std::move(host)));
    visits_.back()->start();
  }

  void on_request(const Visit& visit, const HttpRequest& request) {
    const Route route = route_of(request);
    if (const auto* reply = std::get_if<HttpReply>(&route)) return visit->answer(*reply);
    if (const auto* file = std::get_if<PagePath>(&route)) {
      return visit->answer(file_reply(file->path));
    }
    const auto& question = std::get<Question>(route);
    const Caller* known = passes_.find(question.pass, steady_clock::now());
    if (known == nullptr) {
      return visit->answer(
          refusal(401,
                  "no pass, or one that is over: `hapax live` gives you an address "
                  "with one; in a script, Authorization: Bearer and what `hapax "
                  "live --pass` prints"));
    }
    const Caller caller = *known;
    const bool is_of_one =
        question.kind == Question::Kind::lock || question.kind == Question::Kind::trace;
    const std::string lock = is_of_one ? question.name : "";
    if (const auto no =
            host_.roles().objection(caller, Right::read, "look at the live page", lock)) {
      return visit->answer(refusal(403, *no));
    }
    if (!host_.has_started()) return visit->answer(refusal(503, "the daemon is about to start"));
    serve(visit, question, caller);
  }

  void serve(const Visit& visit, const Question& question, const Caller& caller) {
    using Kind = Question::Kind;
    switch (question.kind) {
      case Kind::status:
        return answer(visit, cli::json_of(status_of(host_.state()), false));
      case Kind::members:
        return tell_members(visit);
      case Kind::locks:
      case Kind::lock:
      case Kind::waits:
        return tell_locks(visit, question, caller);
      case Kind::trace:
        return tell_trace(visit, question);
      case Kind::events:
        if (feed_->streams() >= kMostStreams) {
          return visit->answer(refusal(503, "too many watch already; close one of the pages"));
        }
        visit->stream_to(caller);
        feed_->join(visit);
    }
  }

  static void answer(const Visit& visit, const boost::json::object& object) {
    visit->answer(json_reply(200, cli::json_text(object)));
  }

  void tell_members(const Visit& visit) {
    const auto asked = host_.ask_how_all_are([visit](session::State&& state) {
      const boost::json::object all = cli::json_of(status_of(std::move(state)), true);
      answer(visit, {{"members", all.at("all")}, {"silent", all.at("silent")}});
    });
    if (!asked) visit->answer(refusal(503, asked.error().message));
  }

  void tell_trace(const Visit& visit, const Question& question) {
    const std::chrono::seconds duration{question.limit};
    const auto asked =
        host_.record(question.name, duration, [visit](const Result<session::Recording>& recorded) {
          if (!recorded) return visit->answer(refusal(503, recorded.error().message));
          const auto told = json_of_trace(*recorded);
          told ? answer(visit, *told) : visit->answer(refusal(503, told.error().message));
        });
    if (!asked) return visit->answer(refusal(503, asked.error().message));
    visit->wait(duration);
  }

  void tell_locks(const Visit& visit, const Question& question, const Caller& caller) {
    const auto asked = host_.who(
        question.name, [self = shared_from_this(), visit, caller, question](session::Locks&& told) {
          if (self->is_closed_) return;
          SeenLocks seen = seen_of(std::move(told));
          std::erase_if(seen.locks, [&](const LockInfo& lock) {
            return !self->host_.roles().may(caller, Right::read, lock.name);
          });
          self->tell_seen(visit, question, std::move(seen));
        });
    if (!asked) visit->answer(refusal(503, asked.error().message));
  }

  void tell_seen(const Visit& visit, const Question& question, SeenLocks&& seen) const {
    if (question.kind == Question::Kind::waits) {
      const WaitsFor graph{seen.locks, Families{}};
      return answer(visit, json_of_waits(graph, [](const std::string&) { return true; }));
    }
    std::erase_if(seen.locks, [](const LockInfo& lock) {
      return !lock.holder && lock.sharers.empty() && lock.waiters.empty();
    });
    if (seen.locks.size() > question.limit) {
      seen.more_locks += seen.locks.size() - question.limit;
      seen.locks.resize(question.limit);
    }
    boost::json::object object = cli::json_of_locks(seen.locks, seen.silent, seen.more_locks);
    if (question.kind == Question::Kind::lock) {
      object["history"] = json_of_history(feed_->picture().history_of(question.name));
    }
    answer(visit, object);
  }

  static SeenLocks seen_of(session::Locks&& told) {
    return {client::locks_of(std::move(told.locks)),
            client::counted_from_one(std::move(told.silent)), told.more_locks};
  }

  // A turn of the loop each: they may be ten thousand.
  void convert_later(session::Locks&& told, std::function<void(SeenLocks&&)> tell) {
    const auto locks = std::make_shared<session::Locks>(std::move(told));
    after({}, [this, locks, tell = std::move(tell)] {
      const auto seen = std::make_shared<SeenLocks>(seen_of(std::move(*locks)));
      after({}, [seen, tell] { tell(std::move(*seen)); });
    });
  }

  // Of the feed, which does one thing after the other.
  void after(std::chrono::milliseconds delay, std::function<void()> then) {
    timer_.expires_after(delay);
    timer_.async_wait([weak = weak_from_this(), then = std::move(then)](error_code error) {
      const auto self = weak.lock();
      if (!error && self && !self->is_closed_) then();
    });
  }

  Feed::Host feed_host() {
    return {
        .ask_status =
            [this](auto tell) {
              return host_
                  .ask_how_all_are(
                      [tell](session::State&& state) { tell(status_of(std::move(state))); })
                  .has_value();
            },
        .ask_locks =
            [this](auto tell) {
              return host_
                  .all_locks(
                      [this, tell](session::Locks&& told) { convert_later(std::move(told), tell); })
                  .has_value();
            },
        .figures = host_.figures,
        .may_read =
            [this](const Caller& caller, const std::string& lock) {
              return host_.roles().may(caller, Right::read, lock);
            },
        .may_look = [this](const Caller& caller) { return host_.roles().may(caller, Right::read); },
        .may_read_all =
            [this](const Caller& caller) {
              return host_.roles().may_everywhere(caller, Right::read);
            },
        .after = [this](auto delay, auto then) { after(delay, std::move(then)); },
        .now = unix_time,
        .lineage = Families{}};
  }

  LiveHost host_;
  Timer timer_;  // Of the feed.
  std::chrono::milliseconds patience_;
  std::shared_ptr<net::Listener> listener_;
  std::shared_ptr<Feed> feed_;
  Passes passes_;
  std::list<Visit> visits_;  // The oldest first.
  bool is_closed_ = false;
};

Result<std::unique_ptr<Live>> Live::open(Loop& io, const net::Address& address, LiveHost host,
                                         std::chrono::milliseconds patience) {
  if (!address.is_local() || address.is_unix()) {
    return error(
        "the live page is shown on this machine only, not at {}; use 127.0.0.1:{}, and from "
        "elsewhere ssh -L",
        address.text(), address.port);
  }
  auto impl = std::make_shared<Impl>(io, std::move(host), patience);
  if (const auto done = impl->listen(io, address); !done) return done.error();
  return std::unique_ptr<Live>{new Live{std::move(impl)}};
}

Live::Live(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Live::~Live() { close(); }
const net::Address& Live::address() const { return impl_->address(); }
Result<std::string> Live::place_for(const Caller& caller) { return impl_->place_for(caller); }
void Live::note(const std::string& line, LogLevel level) { impl_->note(line, level); }
void Live::close() { impl_->close(); }

}  // namespace hapax::live
