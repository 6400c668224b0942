#include "faults/engine.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sqlite3.h>
#include <stdexcept>

#include "faults/servers.h"

namespace hapax::faults {
namespace {

// A file that all members open, on a small disk of its own: an ext4 image. The file cannot crash,
// but somebody can sit on its write lock.
class Embedded : public EngineUnderTest {
 public:
  explicit Embedded(const Plan& plan)
      : image_(plan.fast_folder / "disk.img"), disk_(plan.fast_folder / "disk") {
    std::filesystem::create_directory(disk_);
    run_command(fmt::format("truncate -s 24M {0} && mkfs.ext4 -q {0}", image_.string()));
    mount_image();
  }

  std::string url() const override { return "embedded:" + (disk_ / "engine.db").string(); }
  bool has_disk() const override { return true; }
  void fill_disk() override {
    // It fails when the disk is full: that is the point.
    std::ofstream filler{disk_ / "filler"};
    const std::string block(1 << 16, 'x');
    while (filler << block << std::flush) continue;
  }
  // What ext4 has not written yet is not in the image.
  void cut_power() override {
    const auto copy = image_.string() + ".copy";
    run_command(fmt::format("cp --sparse=always {0} {1} && umount -l {2} && mv {1} {0}",
                            image_.string(), copy, disk_.string()));
    mount_image();
  }
  void stop_all() override {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open((disk_ / "engine.db").c_str(), &opened);
    sitting_.reset(opened);
    if (status != SQLITE_OK) throw std::runtime_error{"cannot open engine.db"};
    sqlite3_busy_timeout(opened, 2'000);
    // Held until it is closed. If it cannot be had, somebody else sits on it.
    sqlite3_exec(opened, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  }
  void heal() override {
    sitting_.reset();
    std::filesystem::remove(disk_ / "filler");
  }

 private:
  void mount_image() const {
    run_command(fmt::format("mount -o loop {} {}", image_.string(), disk_.string()));
  }

  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  std::filesystem::path image_, disk_;
  std::unique_ptr<sqlite3, Close> sitting_;
};

}  // namespace

std::unique_ptr<EngineUnderTest> start_engine(const Plan& plan, Network& network) {
  switch (plan.engine) {
    case EngineKind::etcd:
      return start_etcd(plan, network);
    case EngineKind::zookeeper:
      return start_zookeeper(plan, network);
    case EngineKind::embedded:
      break;
  }
  return std::make_unique<Embedded>(plan);
}

}  // namespace hapax::faults
