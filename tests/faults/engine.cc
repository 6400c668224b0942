#include "faults/engine.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sqlite3.h>
#include <stdexcept>
#include <utility>

#include "embedded/stopped_writer.h"
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
  void cut_power(const std::function<void()>& die) override {
    const auto copy = image_.string() + ".copy";
    run_command(fmt::format("cp --sparse=always {} {}", image_.string(), copy));
    sitting_.reset();
    die();
    // At the same device as before: the file knows where it was.
    run_command(fmt::format("umount {2} && mv {1} {0}", image_.string(), copy, disk_.string()));
    mount_image();
  }
  void stop_all() override {
    sitting_ = open("engine.db");
    // Held until it is closed. If it cannot be had, somebody else sits on it.
    sqlite3_exec(sitting_.get(), "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  }
  void wipe() override {
    for (const char* file : {"engine.db", "engine.db-wal", "engine.db-shm"}) {
      std::filesystem::remove(disk_ / file);
    }
  }
  // In place, by SQLite's own means, as `sqlite3 engine.db .restore` does it.
  void restore() override {
    const bool back = std::exchange(has_copy_, !has_copy_);
    copy(back ? "copy.db" : "engine.db", back ? "engine.db" : "copy.db");
  }
  void heal() override {
    sitting_.reset();
    std::filesystem::remove(disk_ / "filler");
  }
  bool is_committing(pid_t process) const override {
    return engine::writer_of(disk_ / "engine.db") == process;
  }

 private:
  void mount_image() const {
    run_command(fmt::format("mount -o loop {} {}", image_.string(), disk_.string()));
  }

  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  using Database = std::unique_ptr<sqlite3, Close>;
  Database open(const char* file) const {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open((disk_ / file).c_str(), &opened);
    Database database{opened};
    if (status != SQLITE_OK) throw std::runtime_error{fmt::format("cannot open {}", file)};
    sqlite3_busy_timeout(opened, 2'000);
    return database;
  }
  // Or nothing, if somebody sits on it.
  void copy(const char* from, const char* to) const {
    const Database source = open(from), target = open(to);
    sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", source.get(), "main");
    if (backup == nullptr) throw std::runtime_error{"cannot copy engine.db"};
    sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
  }

  std::filesystem::path image_, disk_;
  bool has_copy_ = false;
  Database sitting_;
};

class None : public EngineUnderTest {
 public:
  std::string url() const override { return {}; }
};

}  // namespace

std::unique_ptr<EngineUnderTest> start_engine(const Plan& plan, Network& network) {
  switch (plan.engine) {
    case EngineKind::etcd:
      return start_etcd(plan, network);
    case EngineKind::zookeeper:
      return start_zookeeper(plan, network);
    case EngineKind::none:
      return std::make_unique<None>();
    case EngineKind::embedded:
      break;
  }
  return std::make_unique<Embedded>(plan);
}

}  // namespace hapax::faults
