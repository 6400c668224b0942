// TLS 1.3 with certificates on both sides: one that has none of ours, or another member's, stays
// outside.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <openssl/ssl.h>
#include <string>

#include "base/testing/folder.h"
#include "certs/certs.h"
#include "net/frame.h"
#include "net/testing/party.h"
#include "net/testing/proxy.h"

namespace hapax::net {
namespace {

namespace ssl = boost::asio::ssl;
using testing::address;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::k0;
using testing::k1;
using testing::k2;
using testing::Member;
using testing::options_of;
using testing::Party;
using testing::Proxy;
using Tcp = boost::asio::ip::tcp;

class MeshTls : public ::testing::Test {
 protected:
  MeshTls() {
    HAPAX_CHECK(make_certs({ours_.path(), {"localhost", "127.0.0.1", "::1"}}).has_value());
    HAPAX_CHECK(make_certs({theirs_.path(), {"localhost", "127.0.0.1", "::1"}}).has_value());
  }

  TlsFiles ours(Seat member) const { return tls_files(ours_.path(), member); }
  TlsFiles theirs(Seat member) const { return tls_files(theirs_.path(), member); }
  Party party(std::uint32_t size) const {
    return Party{size, [&](MeshOptions& options) { options.tls = ours(options.self); }};
  }
  // Member `self` with a TLS of its own that dials member 0 at `to`.
  static MeshOptions dialler(Seat self, const Address& to, std::optional<TlsFiles> tls) {
    MeshOptions options =
        options_of(number(self), {to, address("127.0.0.1:1"), address("127.0.0.1:2")});
    options.members[number(self)] = address("127.0.0.1:0");
    if (self == k2) options.limits.backoff_max = Milliseconds{2000};
    options.tls = std::move(tls);
    return options;
  }

  hapax::testing::Folder ours_;
  hapax::testing::Folder theirs_;
};

TEST_F(MeshTls, DeliversInOrderOnBothWays) {
  Party three = party(3);
  for (int i = 0; i < 3000; ++i) {
    three[0].say(k1, 10);
    three[1].say(k2, 100);
    three[2].say(k0, 1000);
    if (i % 10 == 0) three.io.poll();
  }
  ASSERT_TRUE(three.until([&] {
    return three[1].heard(k0) == 3000 && three[2].heard(k1) == 3000 && three[0].heard(k2) == 3000;
  }));
  EXPECT_EQ(three[0].disorder + three[1].disorder + three[2].disorder, 0u);
}

TEST_F(MeshTls, LetsRemoteAddressesIn) {
  Loop io;
  MeshOptions options = options_of(0, {address("db1.example:1"), address("db2.example:1")});
  EXPECT_FALSE(Mesh::create(io, options, {}));
  options.tls = ours(k0);
  EXPECT_TRUE(Mesh::create(io, options, {}));
}

TEST_F(MeshTls, SurvivesCuts) {
  Loop io;
  MeshOptions options = options_of(0, {address("127.0.0.1:0"), address("127.0.0.1:0")});
  options.tls = ours(k0);
  Member low{io, options};
  Proxy proxy{low.at().port};
  options = options_of(1, {proxy.at(), address("127.0.0.1:0")});
  options.tls = ours(k1);
  Member high{io, options};
  proxy.cut_after(40'000);
  std::uint64_t said = 0;
  ASSERT_TRUE(testing::run_until(io, [&] {
    for (int i = 0; i < 10 && said < 5000; ++i, ++said) {
      low.say(k1, 20);
      high.say(k0, 20);
    }
    return low.heard(k1) == 5000 && high.heard(k0) == 5000;
  }));
  EXPECT_GT(proxy.cuts(), 2u);
  EXPECT_EQ(low.disorder + high.disorder, 0u);
}

TEST_F(MeshTls, RefusesACertificateOfAnotherAuthority) {
  Party one = party(1);
  MeshOptions options = options_of(0, {address("127.0.0.1:0"), address("127.0.0.1:0")});
  options.tls = ours(k0);
  Member low{one.io, options};
  options = options_of(1, {low.at(), address("127.0.0.1:0")});
  options.tls = theirs(k1);
  Member high{one.io, options};
  ASSERT_TRUE(one.until([&] { return high.dropped(Drop::stranger) >= 2; }))
      << "it does not trust the door either";
  // One that trusts us, with a certificate that we do not trust.
  TlsFiles mixed = theirs(k1);
  mixed.authority = ours(k1).authority;
  options.tls = mixed;
  Member half{one.io, options};
  ASSERT_TRUE(one.until([&] { return low.dropped(Drop::stranger) >= 4; }));
  EXPECT_FALSE(low.mesh->is_up(k1));
  EXPECT_THAT(low.events, ElementsAre());
  EXPECT_THAT(half.events, ElementsAre());
}

// The same for Asio.
SSL_CTX* shared(const TlsFiles& files) {
  const auto ours = make_tls_context(files).value();
  SSL_CTX_up_ref(ours->native_handle());
  return ours->native_handle();
}

TEST_F(MeshTls, RefusesTheCertificateOfAnotherMember) {
  Loop io;
  MeshOptions options = options_of(1, {address("127.0.0.1:1"), address("127.0.0.1:0")});
  options.tls = ours(k0);
  const auto mine = Mesh::create(io, options, {});
  ASSERT_FALSE(mine) << "not even its own mesh starts with it";
  EXPECT_THAT(mine.error().message, HasSubstr("not made out to member-2"));
  // Member 2 claims to be member 1: a client by hand, since no mesh would do it.
  Party one{1, [&](MeshOptions& o) {
              o.members.resize(3, address("127.0.0.1:0"));
              o.tls = ours(k0);
            }};
  ssl::context context{shared(ours(k2))};
  ssl::stream<Tcp::socket> liar{hapax::testing::strangers(), context};
  liar.next_layer().connect({boost::asio::ip::address_v4::loopback(), one[0].at().port});
  Hello hello;
  hello.group = {'t', 'e', 's', 't'};
  hello.settings = {'o', 'n', 'e'};
  hello.from = k1;
  hello.incarnation = 5;
  hello.attempt = 1;
  hello.nonce = 6;
  Bytes frame;
  write_frame(frame, hello, {}, kGreetingVersion);
  liar.async_handshake(ssl::stream_base::client, [&](auto failed) {
    EXPECT_FALSE(failed);
    boost::asio::async_write(liar, boost::asio::buffer(frame), [](auto, std::size_t) {});
  });
  ASSERT_TRUE(one.until([&] { return one[0].dropped(Drop::stranger) == 1; }));
  ASSERT_EQ(one[0].log.size(), 1u);
  EXPECT_THAT(one[0].log[0], HasSubstr("says it is member 2 with the certificate of member 3"));
}

TEST_F(MeshTls, TheDialledMemberMustBeTheOneThatWasMeant) {
  // Member 2 expects member 0 at an address where member 1 listens.
  Party two = party(2);
  MeshOptions options =
      options_of(2, {two[1].at(), address("127.0.0.1:1"), address("127.0.0.1:0")});
  options.tls = ours(k2);
  Member third{two.io, options};
  ASSERT_TRUE(two.until([&] { return third.dropped(Drop::stranger) >= 1; }));
  EXPECT_THAT(third.log, ::testing::Contains(HasSubstr("has the certificate of member-2")));
  EXPECT_THAT(third.events, ElementsAre());
}

TEST_F(MeshTls, RefusesWhoHasNoCertificateSpeaksPlainlyOrOlderTls) {
  Party one = party(2);
  ASSERT_TRUE(one.connect());
  // In the clear.
  MeshOptions options = options_of(1, {one[0].at(), address("127.0.0.1:0")});
  Member plain{one.io, options};
  ASSERT_TRUE(one.until([&] { return one[0].dropped(Drop::stranger) >= 1; }));
  plain.crash();
  const auto refused = [&](ssl::context& context) {
    const std::uint64_t before = one[0].dropped(Drop::stranger);
    ssl::stream<Tcp::socket> client{hapax::testing::strangers(), context};
    client.next_layer().connect({boost::asio::ip::address_v4::loopback(), one[0].at().port});
    client.async_handshake(ssl::stream_base::client, [](auto) {});
    EXPECT_TRUE(one.until([&] { return one[0].dropped(Drop::stranger) > before; }));
    boost::system::error_code ignored;
    client.next_layer().close(ignored);
    testing::run_for(one.io, Milliseconds{1});
  };
  ssl::context nobody{ssl::context::tlsv13_client};
  refused(nobody);
  ssl::context old{shared(ours(k1))};
  SSL_CTX_set_min_proto_version(old.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(old.native_handle(), TLS1_2_VERSION);
  refused(old);
  one[0].say(k1);
  EXPECT_TRUE(one.until([&] { return one[1].heard(k0) == 1; })) << "members are unharmed";
  EXPECT_EQ(one[0].mesh->stats().connects, 1u);
}

}  // namespace
}  // namespace hapax::net
