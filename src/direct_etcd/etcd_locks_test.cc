// Locks on real etcd servers, beside etcdctl.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/child.h"
#include "base/testing/folder.h"
#include "direct/testing/files.h"
#include "direct_etcd/etcd_gateway.h"
#include "etcd/testing/cluster.h"
#include "etcd/testing/tls_files.h"
#include "handles/gateway_makers.h"
#include "handles/testing/contract.h"

// In the place of the room engines, which comes later.
std::span<const hapax::detail::GatewayMaker> hapax::detail::gateway_makers() {
  static constexpr GatewayMaker kEtcd[] = {{"etcd", direct::open_etcd}};
  return kEtcd;
}

namespace hapax::testing {
namespace {

using engine::testing::Cluster;
using ::testing::HasSubstr;

// Started by the first test that needs it.
Cluster& etcd() {
  static Cluster cluster{1};
  return cluster;
}

INSTANTIATE_TEST_SUITE_P(Etcd, GatewayContract,
                         ::testing::Values(line_gate("etcd", [] { return etcd().url().text(); })));

// The lease of whoever holds that lock: the hexadecimal digits of its key.
std::string lease_of(const Cluster& cluster, const std::string& name) {
  const std::string key = cluster.ctl(0, "get --prefix --keys-only " + name + "/");
  return key.substr(name.size() + 1, key.find('-') - name.size() - 1);
}

// `etcdctl lock` while it has the lock: its command writes to a file when it begins, and ends when
// its standard input does.
class EtcdctlLock {
 public:
  EtcdctlLock(const Cluster& cluster, const Folder& folder, const std::string& name, int number)
      : begun_(folder / fmt::format("begun-{}", number)),
        end_(folder / fmt::format("end-{}", number)),
        child_(Child::logging_to(
            folder / "log", "etcdctl",
            {.words = {"sh", "-c",
                       fmt::format("ETCDCTL_API=3 exec etcdctl --endpoints={} lock {} -- sh -c "
                                   "'echo $ETCD_LOCK_REV >{}; until test -e {}; do sleep 0.02; "
                                   "done'",
                                   cluster.url().endpoints[0].text(), name, begun_.string(),
                                   end_.string())}})) {}
  bool is_inside() const { return std::filesystem::exists(begun_); }
  void end() {
    std::ofstream{end_}.put('x');
    child_.wait_for_end(20s);
  }

 private:
  const std::filesystem::path begun_;
  const std::filesystem::path end_;
  Child child_;
};

TEST(EtcdLocks, AreInOneLineWithEtcdctl) {
  const Folder folder;
  Client client{etcd().url().text()};
  Mutex mutex{client, "shared-with-go"};
  mutex.lock();
  EtcdctlLock theirs{etcd(), folder, "shared-with-go", 1};
  ASSERT_TRUE(comes_about([&] { return client.who("shared-with-go")[0].waiters.size() == 1; }));
  Mutex behind{client, "shared-with-go"};
  std::promise<std::error_code> granted;
  behind.async_acquire([&](std::error_code error) { granted.set_value(error); });
  ASSERT_TRUE(comes_about([&] { return client.who("shared-with-go")[0].waiters.size() == 2; }));
  EXPECT_FALSE(theirs.is_inside());
  const Fence first = mutex.fence();
  mutex.unlock();
  EXPECT_TRUE(comes_about([&] { return theirs.is_inside(); }));
  auto future = granted.get_future();
  EXPECT_EQ(future.wait_for(100ms), std::future_status::timeout) << "it came before us";
  theirs.end();
  EXPECT_EQ(future.get(), std::error_code{});
  EXPECT_LT(first, behind.fence());
  behind.unlock();
}

TEST(EtcdLocks, LeaveNothingBehind) {
  {
    Client client{etcd().url().text()};
    Mutex mutex{client, "tidy"};
    mutex.lock();
    EXPECT_FALSE(Mutex(client, "tidy").try_lock_for(100ms));
  }
  EXPECT_EQ(etcd().ctl(0, "get --prefix --keys-only tidy"), "");
}

TEST(EtcdLocks, OneWhoseSessionIsEndedIsToldAndAWaiterBeginsAnew) {
  Client client{options_for(etcd().url().text(), 2s)};
  Client other{options_for(etcd().url().text(), 2s)};
  Mutex mutex{client, "revoked"};
  Mutex same{other, "revoked"};
  mutex.lock();
  const std::string holder = lease_of(etcd(), "revoked");
  std::promise<std::error_code> granted;
  same.async_acquire([&](std::error_code error) { granted.set_value(error); });
  ASSERT_TRUE(comes_about([&] { return client.who("revoked")[0].waiters.size() == 1; }));
  std::string waiter = etcd().ctl(0, "get --prefix --keys-only revoked/");
  const std::size_t at = waiter.find(holder) == 8 ? waiter.rfind("revoked/") + 8 : 8;
  waiter = waiter.substr(at, waiter.find('-', at) - at);
  ASSERT_NE(waiter, holder);
  // The waiter's: it comes back with another one, and still waits.
  EXPECT_THAT(etcd().ctl(0, "lease revoke " + waiter), HasSubstr("revoked"));
  ASSERT_TRUE(comes_about([&] { return client.who("revoked")[0].waiters.size() == 1; }));
  auto future = granted.get_future();
  EXPECT_EQ(future.wait_for(100ms), std::future_status::timeout);
  // The holder's: it hears of it, and the waiter is let in.
  EXPECT_THAT(etcd().ctl(0, "lease revoke " + holder), HasSubstr("revoked"));
  EXPECT_EQ(future.get(), std::error_code{});
  EXPECT_TRUE(comes_about([&] { return mutex.lost().stop_requested(); }));
  mutex.unlock();
  EXPECT_FALSE(same.lost().stop_requested()) << "what it gave back was its own";
  same.unlock();
  mutex.lock();  // With another session.
  mutex.unlock();
}

TEST(EtcdLocks, OneWhoseKeyIsDeletedIsTold) {
  Client client{options_for(etcd().url().text(), 2s)};
  Mutex mutex{client, "deleted"};
  mutex.lock();
  EXPECT_THAT(etcd().ctl(0, "del --prefix deleted/"), HasSubstr("1"));
  EXPECT_TRUE(comes_about([&] { return mutex.lost().stop_requested(); }));
  mutex.unlock();
}

TEST(EtcdLocks, AreLostBeforeTheLeaseIsOverIfEtcdIsSilent) {
  Cluster cluster{1};
  Client client{options_for(cluster.url().text(), 2s)};
  Mutex mutex{client, "silent"};
  mutex.lock();
  cluster.signal(0, SIGSTOP);
  const auto stopped = std::chrono::steady_clock::now();
  EXPECT_TRUE(comes_about([&] { return mutex.lost().stop_requested(); }));
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, 2s + 500ms);
  EXPECT_EQ(mutex.valid_for(), 0ms);
  Mutex same{client, "silent"};
  EXPECT_EQ(same.acquire_until(std::chrono::steady_clock::now() + 100ms, {}), Errc::unavailable);
  cluster.signal(0, SIGCONT);
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_for(20s)) << "it comes back by itself";
  mutex.unlock();
}

TEST(EtcdLocks, SurviveTheLossOfOneServerOfThree) {
  Cluster cluster{3};
  Client client{options_for(cluster.url().text(), 10s)};
  Mutex mutex{client, "three"};
  mutex.lock();
  ASSERT_TRUE(comes_about([&] { return cluster.leader() < 3; }));
  cluster.kill(cluster.leader());
  Client other{options_for(cluster.url().text(), 10s)};
  Mutex same{other, "three"};
  EXPECT_EQ(same.acquire_until(std::chrono::steady_clock::now() + 1s, {}), Errc::timed_out);
  EXPECT_FALSE(mutex.lost().stop_requested());
  const Fence before = mutex.fence();
  mutex.unlock();
  EXPECT_TRUE(same.try_lock_for(20s));
  EXPECT_LT(before, same.fence());
  same.unlock();
}

TEST(EtcdLocks, RefuseWhatEtcdsClientsDoNotKnow) {
  Client client{etcd().url().text()};
  try {
    (void)client.who("");
    ADD_FAILURE();
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::refused);
    EXPECT_THAT(e.what(), HasSubstr("orders/*"));
  }
  EXPECT_THROW(client.settings(), std::system_error);
  EXPECT_THROW(client.stats(), std::system_error);
}

TEST(EtcdLocks, AreForThoseWhoLogIn) {
  Cluster cluster{1};
  ClientOptions options = options_for(cluster.url().text(), 10s);
  { const Client once_it_is_there{options}; }
  for (const char* line :
       {"user add root:secret", "user grant-role root root", "user add ann:hers", "role add team",
        "role grant-permission team readwrite --prefix=true team/", "user grant-role ann team"}) {
    cluster.ctl(0, line);
  }
  ASSERT_THAT(cluster.ctl(0, "auth enable"), HasSubstr("Enabled"));
  options.engine_user = "ann";
  options.engine_password = "wrong";
  try {
    const Client client{options};
    ADD_FAILURE();
  } catch (const std::system_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("authentication failed"));
  }
  options.engine_password = "hers";
  Client client{options};
  Mutex own{client, "team/backup"};
  own.lock();
  options.asks_only = true;
  EXPECT_EQ(Client{options}.who("team/backup").size(), 1u);
  EXPECT_THROW(Client{options}.who("others"), std::system_error);
  own.unlock();
  Mutex others{client, "others"};
  EXPECT_EQ(others.acquire_until(std::chrono::steady_clock::now() + 20s, {}), Errc::refused);
}

TEST(EtcdLocks, SpeakTlsOnBothSides) {
  const engine::testing::TlsFolder certs;
  ASSERT_TRUE(certs.is_good());
  const Cluster cluster{1, certs.server(), "https"};
  ClientOptions options = options_for(cluster.url().text(), 10s);
  EXPECT_THROW(Client{options}, std::system_error) << "it speaks no other language";
  options.authority = certs.client().authority;
  EXPECT_THROW(Client{options}, std::system_error) << "the server asks who we are";
  options.certificate = certs.client().certificate;
  options.key = certs.client().key;
  Client client{options}, other{options};
  Mutex mutex{client, "secret"}, same{other, "secret"};
  mutex.lock();
  EXPECT_FALSE(same.try_lock_for(200ms));
  mutex.unlock();
  EXPECT_TRUE(same.try_lock_for(20s));
  same.unlock();
}

TEST(EtcdFiles, AreThoseOfAGroupAndItsDaemons) {
  Client one{etcd().url().text()}, other{etcd().url().text()};
  expect_files(one, other);
  EXPECT_THAT(etcd().ctl(0, "get --prefix hapax/hapax+files/config/web"), HasSubstr("file\nw"));
  ClientOptions options = options_for(etcd().url().text(), 10s);
  options.engine_group = "another";
  Client elsewhere{options};
  EXPECT_TRUE(File::list(elsewhere, "").empty());
  options.engine_group = "no/group";
  EXPECT_THROW(Client{options}, std::system_error);
}

TEST(EtcdLocks, SayWhereNobodyAnswers) {
  try {
    Client client{"etcd://127.0.0.1:1"};
    ADD_FAILURE();
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), Errc::unreachable);
    EXPECT_THAT(e.what(), HasSubstr("etcd://127.0.0.1:1"));
  }
  EXPECT_THROW(Client{"etcd://h/path"}, std::system_error);
  EXPECT_THROW(Client{"redis://127.0.0.1:1"}, std::system_error);
}

[[maybe_unused]] const auto* const kNeedsEtcd =
    ::testing::AddGlobalTestEnvironment(new engine::testing::NeedsEtcd);

}  // namespace
}  // namespace hapax::testing
