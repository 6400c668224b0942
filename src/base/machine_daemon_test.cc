#include "base/machine_daemon.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/testing/folder.h"

namespace hapax {
namespace {

namespace fs = std::filesystem;

void make_socket(const fs::path& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  path.string().copy(where.sun_path, sizeof where.sun_path - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&where), sizeof where), 0);
  close(fd);
}

TEST(MachineDaemon, IsBelievedOnlyWhereRootHasMadeRoomForIt) {
  const testing::Folder root;
  const fs::path folder = root / "hapaxd";
  const fs::path socket = folder / "hapax.sock";
  EXPECT_EQ(server_by_root(socket), std::nullopt);
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms{0755});
  EXPECT_EQ(server_by_root(socket), std::nullopt);
  make_socket(socket);
  if (geteuid() != 0) {
    EXPECT_EQ(server_by_root(socket), std::nullopt) << "it is in a folder of ours, not of root's";
    return;
  }
  EXPECT_EQ(server_by_root(socket), uid_t{0});
  ASSERT_EQ(chown(folder.c_str(), 1234, 1234), 0);
  EXPECT_EQ(server_by_root(socket), uid_t{1234});
  fs::permissions(folder, fs::perms{0775});
  EXPECT_EQ(server_by_root(socket), std::nullopt) << "a group may write there";
  fs::permissions(folder, fs::perms{0755});
  fs::permissions(root.path(), fs::perms{01777});
  EXPECT_EQ(server_by_root(socket), std::nullopt) << "all may write above it";
  fs::permissions(root.path(), fs::perms{0755});
  ASSERT_EQ(chown(root.path().c_str(), 1234, 1234), 0);
  EXPECT_EQ(server_by_root(socket), std::nullopt) << "what is above it is not root's";
  EXPECT_EQ(server_by_root(folder), std::nullopt) << "no socket";
}

// A group of one's own beside the machine's would be a second one to hold its locks.
TEST(MachineDaemon, IsTheOneToStartWhereItShouldAnswer) {
  EXPECT_NE(how_to_start_a_daemon(kMachineSocket).find("systemctl start"), std::string::npos);
  EXPECT_NE(how_to_start_a_daemon("/tmp/x.sock").find("hapax up"), std::string::npos);
  EXPECT_NE(how_to_start_a_daemon("").find("hapax up"), std::string::npos) << "over TCP";
}

}  // namespace
}  // namespace hapax
