// The embedded engine, through the suite of all.
#include "engine/testing/conformance.h"

#include <gtest/gtest.h>
#include <memory>
#include <sqlite3.h>
#include <string>

#include "base/testing/folder.h"
#include "embedded/embedded.h"

namespace hapax::engine::testing {
namespace {

class EmbeddedBackend : public Backend {
 public:
  std::unique_ptr<Engine> open(Loop& io, const std::string& group) override {
    Options options;
    options.group = group;
    auto engine = open_embedded(io, Url{Kind::embedded, {}, folder_ / "engine.db"}, options);
    if (!engine) ADD_FAILURE() << engine.error().message;
    return engine ? std::move(*engine) : nullptr;
  }
  void forget(Bench&, Engine&) override {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "engine.db").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, "DELETE FROM changes; UPDATE state SET forgotten = revision",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(handle);
  }

 private:
  hapax::testing::Folder folder_;
};

INSTANTIATE_TEST_SUITE_P(Embedded, Conformance,
                         ::testing::Values(BackendMaker{
                             "embedded", [] { return std::make_unique<EmbeddedBackend>(); }}));

}  // namespace
}  // namespace hapax::engine::testing
