// The package as a stranger uses it: installed somewhere, found by CMake and by pkg-config from a
// project outside the tree, and at work against a group.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing/folder.h"
#include "local/group.h"
#include "process_testing.h"

namespace {

namespace fs = std::filesystem;

using hapax::testing::contents_of;

class Package : public ::testing::Test {
 protected:
  // What it printed; nothing and a failed test if it failed, or took too long.
  std::string shell(const std::string& command) const {
    const fs::path log = folder / "log";
    const std::string bounded = "cd '" + folder.string() + "' && timeout 240 sh -ec '" + command +
                                "' >'" + log.string() + "' 2>&1 </dev/null";
    const int status = std::system(bounded.c_str());  // NOLINT(cert-env33-c): as people do it
    EXPECT_EQ(status, 0) << command << '\n' << contents_of(log);
    return status == 0 ? contents_of(log) : "";
  }

  const hapax::testing::Folder temporary_;
  const fs::path folder = temporary_.path();
};

TEST_F(Package, IsFoundByCMakeAndPkgConfigAndLocks) {
  shell(HAPAX_CMAKE " --install " HAPAX_BUILD " --prefix installed");
  fs::copy(fs::path{HAPAX_ROOT} / "examples", folder / "outside");
  shell(HAPAX_CMAKE " -S outside -B cmake -G Ninja -DCMAKE_CXX_COMPILER=" HAPAX_CXX
                    " -DCMAKE_PREFIX_PATH=\"$PWD/installed\"");
  shell(HAPAX_CMAKE " --build cmake");
  shell(
      "export PKG_CONFIG_PATH=\"$(dirname $(find installed -name hapax.pc))\";"
      "test \"$(pkg-config --modversion hapax)\" = " HAPAX_VERSION ";" HAPAX_CXX
      " -std=c++20 outside/fenced_write.cc $(pkg-config --cflags --libs hapax-sqlite) -o "
      "by_pkg_config;" HAPAX_CXX
      " -std=c++20 outside/member.cc $(pkg-config --cflags --libs hapax) -o "
      "all_by_pkg_config;" HAPAX_CXX
      " -std=c++20 outside/lock.cc $(pkg-config --cflags --libs hapax-engines) -o on_engines;"
      "cc -std=c99 outside/lock.c $(pkg-config --cflags --libs hapax-c) -o c_by_pkg_config");
  if (HasFailure()) return;

  // One that links engines goes to them itself; one that does not says what to link.
  const std::string nowhere = "HAPAX_ADDRESS=etcd://127.0.0.1:1 ";
  EXPECT_NE(shell(nowhere + "./on_engines || true").find("does not answer"), std::string::npos);
  EXPECT_NE(shell(nowhere + "cmake/lock || true").find("link hapax::engines"), std::string::npos);

  // A program that only speaks to a daemon loads nothing of an engine, nor of SQLite.
  for (const char* program : {"cmake/lock", "cmake/lead", "cmake/cell", "cmake/lock_c"}) {
    const std::string needs = shell(std::string{"objdump -p "} + program + " | grep NEEDED");
    EXPECT_EQ(needs.find("grpc"), std::string::npos) << needs;
    EXPECT_EQ(needs.find("zookeeper"), std::string::npos) << needs;
    EXPECT_EQ(needs.find("sqlite"), std::string::npos) << needs;
    EXPECT_EQ(needs.find("boost"), std::string::npos) << needs;
  }

  for (const char* page :
       {"share/man/man1/hapax.1", "share/man/man1/hapax-elect.1",
        "share/bash-completion/completions/hapax", "share/zsh/site-functions/_hapax",
        "share/fish/vendor_completions.d/hapax.fish"}) {
    EXPECT_NE(contents_of(folder / "installed" / page).find("elect"), std::string::npos) << page;
  }
  for (const char* file : {"prometheus/hapax.rules.yml", "grafana/hapax.json"}) {
    EXPECT_NE(contents_of(folder / "installed/share/hapax" / file).find("hapax_ready"),
              std::string::npos)
        << file;
  }
  EXPECT_EQ(shell("installed/bin/hapax --version"), "hapax " HAPAX_VERSION "\n");
  EXPECT_NE(shell("installed/bin/hapax algorithms").find("maekawa"), std::string::npos);
  hapax::local::Group group{{.folder = folder, .clients = folder, .program = HAPAX_BINARY}};
  ASSERT_TRUE(hapax::testing::eventually([&] { return group.is_complete(); }));
  const auto at = [&](std::uint32_t member) {
    return "HAPAX_ADDRESS=" + group.address(member) + " ";
  };
  EXPECT_EQ(shell(at(0) + "cmake/lock").rfind("inside orders/42, fence ", 0), 0u);
  const std::string libraries = "LD_LIBRARY_PATH=$(dirname $(find installed -name libhapax-c.so)) ";
  EXPECT_EQ(shell(at(1) + libraries + "./c_by_pkg_config").rfind("inside orders/42, fence ", 0),
            0u);
  EXPECT_EQ(shell(at(0) + libraries +
                  "PYTHONPATH=$PWD/installed/lib/python3/dist-packages python3 outside/lock.py")
                .rfind("inside orders/42, fence ", 0),
            0u);
  EXPECT_EQ(shell(at(2) + "cmake/lead").rfind("leads scheduler, fence ", 0), 0u);
  // Members of a group of their own, on the embedded engine.
  const std::string inside =
      shell("cmake/member group.db unix:$PWD/one & cmake/member group.db unix:$PWD/two; wait $!");
  EXPECT_NE(inside.find("inside orders/42, fence "), std::string::npos) << inside;
  EXPECT_NE(inside.find("inside"), inside.rfind("inside")) << inside;
  // A counter that goes on when its master is killed.
  const std::string counted = shell(
      "export HAPAX_ADDRESS=unix:$PWD/cell; installed/bin/hapax node --engine "
      "embedded:$PWD/cell.db "
      "--listen unix:$PWD/cell-member --clients $HAPAX_ADDRESS --new-group --ttl 2s & node=$!;"
      "export HAPAX_ADDRESS=unix:$PWD/cell;"
      "until installed/bin/hapax status >status 2>&1; do sleep 0.1; done;"
      "cmake/cell serve one >one & one=$!; until grep -q \"counts 3\" one; do sleep 0.1; done;"
      "cmake/cell serve two >two & two=$!; kill -9 $one;"
      "until grep -q counts two; do sleep 0.1; done; cmake/cell read;"
      "kill -9 $two; kill $node; wait $node || true; tail -n 1 one; head -n 1 two");
  EXPECT_NE(counted.find("two is master, the count is "), std::string::npos) << counted;
  const auto count_after = [&](const std::string& words) {
    const std::size_t at_words = counted.find(words);
    return at_words == std::string::npos ? -1 : std::stoi(counted.substr(at_words + words.size()));
  };
  // What the first has written last it may not have had the time to say.
  EXPECT_GT(count_after("two counts "), count_after("one counts ")) << counted;
  EXPECT_LE(count_after("two counts "), count_after("one counts ") + 2) << counted;
  shell(at(1) + "cmake/fenced_write counter.db 20 & " + at(2) +
        "./by_pkg_config counter.db 20; wait $!");
  EXPECT_EQ(shell(at(0) + "cmake/fenced_write counter.db 0"), "the counter is at 40\n");
  EXPECT_NE(std::system(
                ("HAPAX_ADDRESS=unix:/nowhere " + (folder / "cmake/lock").string() + " 2>/dev/null")
                    .c_str()),
            0);
}

}  // namespace
