#include "files/file_cache.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace hapax {
namespace {

using engine::Commit;
using engine::Record;
using engine::Snapshot;
using engine::Write;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = FileChange::Kind;

Write put(const std::string& path, const std::string& content) {
  return {key_of_file(path), text_of({content, {}, {}})};
}
Write removal(const std::string& path) { return {key_of_file(path), std::nullopt}; }
Record record(const std::string& path, const std::string& content, engine::Version version) {
  return {key_of_file(path), text_of({content, {}, {}}), version};
}
std::string content_of(const FileCache& cache, const std::string& path) {
  const CachedFile* file = cache.find(path);
  return file == nullptr ? "(none)" : file->file.content;
}
std::vector<std::string> names_in(const FileCache& cache, const std::string& folder) {
  std::vector<std::string> names;
  cache.for_each_in(folder, [&](const std::string& path, const auto&) { names.push_back(path); });
  return names;
}

TEST(StoredFile, IsReadAsItWasWrittenAndNotOtherwise) {
  const std::string bytes{"a\n\0b", 4};
  for (const StoredFile& file :
       {StoredFile{"", {}, {}}, StoredFile{bytes, {}, {}},
        StoredFile{bytes, Fence{Epoch{3}, Turn{17}}, {}}, StoredFile{bytes, {}, FileOwner{4, 9}},
        StoredFile{bytes, Fence{Epoch{1}, Turn{2}}, FileOwner{1, 1}}}) {
    EXPECT_EQ(stored_file_in(text_of(file)), file);
  }
  EXPECT_EQ(text_of({"x", Fence{Epoch{3}, Turn{17}}, FileOwner{4, 9}}),
            "file fence 3.17 life 4 session 9\nx");
  for (const char* bad :
       {"", "file", "files\n", "file \n", "file fence 3\n", "file fence 03.1\n", "file life 4\n",
        "file session 9\n", "file life 04 session 9\n", "file session 9 life 4\n", "{}\n"}) {
    EXPECT_EQ(stored_file_in(bad), std::nullopt) << bad;
  }
  EXPECT_TRUE(stored_file_in("file\n" + std::string(256 << 10, 'x')).has_value());
  EXPECT_FALSE(stored_file_in("file\n" + std::string((256 << 10) + 1, 'x')).has_value());
}

TEST(StoredFile, NoKeyBeginsWithAnothers) {
  EXPECT_FALSE(key_of_file("a/b").starts_with(key_of_file("a")));
  EXPECT_EQ(path_of_key(key_of_file("a/b")), "a/b");
  for (const char* bad : {"", "//", "a", "a/", "/a//", "a///", "a/../b//"}) {
    EXPECT_EQ(path_of_key(bad), std::nullopt) << bad;
  }
}

TEST(FileCache, TellsWhatItWasLoadedWithAndWhatWasCommittedSince) {
  FileCache cache;
  EXPECT_FALSE(cache.may_tell("a", 0)) << "nothing was loaded";
  cache.load({10, {record("a", "1", 4), record("d/x", "2", 7)}});
  EXPECT_EQ(content_of(cache, "a"), "1");
  EXPECT_EQ(cache.apply({12, {put("a", "3"), put("b", "4")}}),
            (std::vector<FileChange>{{Kind::changed, "a", 12}, {Kind::added, "b", 12}}));
  EXPECT_EQ(cache.apply({13, {removal("d/x"), removal("none")}}),
            (std::vector<FileChange>{{Kind::removed, "d/x", 13}}));
  EXPECT_EQ(content_of(cache, "a"), "3");
  EXPECT_EQ(content_of(cache, "d/x"), "(none)");
  EXPECT_EQ(cache.find("a")->version, 12u);
  EXPECT_EQ(cache.bytes(), 4u);
}

TEST(FileCache, PassesOverWhatItHasAlready) {
  FileCache cache;
  cache.load({10, {record("a", "new", 9)}});
  EXPECT_THAT(cache.apply({8, {put("a", "old")}}), IsEmpty());
  EXPECT_THAT(cache.apply({10, {removal("a")}}), IsEmpty());
  EXPECT_EQ(content_of(cache, "a"), "new");
  EXPECT_EQ(cache.revision(), 10u);
}

TEST(FileCache, IsBehindWhoeverKnowsMore) {
  FileCache cache;
  cache.load({10, {record("a", "1", 4)}});
  EXPECT_TRUE(cache.may_tell("a", 10));
  EXPECT_FALSE(cache.may_tell("a", 11));
  EXPECT_FALSE(cache.may_tell("none", 11));
  EXPECT_FALSE(cache.may_tell_all(11));
  cache.apply({11, {put("b", "")}});
  EXPECT_TRUE(cache.may_tell("a", 11));
  EXPECT_TRUE(cache.may_tell("none", 11));
  EXPECT_TRUE(cache.may_tell_all(11));
}

TEST(FileCache, ServesNothingAfterAGapUntilItIsLoaded) {
  FileCache cache;
  cache.load({10, {record("a", "1", 4)}});
  cache.forget();
  EXPECT_FALSE(cache.may_tell("a", 0));
  EXPECT_FALSE(cache.may_tell_all(0));
  EXPECT_THAT(cache.apply({11, {put("a", "2")}}), IsEmpty()) << "of a watch that is over";
  EXPECT_FALSE(cache.may_tell("a", 0));
  cache.load({3, {}});
  EXPECT_TRUE(cache.may_tell("a", 3)) << "the engine was set up anew";
}

// Of our own commits the answer comes before the watch does.
TEST(FileCache, KnowsOurOwnCommitsOfThatFileAndOfNoOther) {
  FileCache cache;
  cache.load({10, {record("a", "1", 4)}});
  cache.note("a", {"mine", {}, {}}, 13);
  EXPECT_EQ(content_of(cache, "a"), "mine");
  EXPECT_TRUE(cache.may_tell("a", 13));
  EXPECT_FALSE(cache.may_tell("b", 13)) << "11 or 12 may have written it";
  EXPECT_FALSE(cache.may_tell_all(13));
  cache.apply({12, {put("a", "other")}});
  EXPECT_EQ(content_of(cache, "a"), "mine") << "which was later";
  EXPECT_EQ(cache.apply({13, {put("a", "mine")}}),
            (std::vector<FileChange>{{Kind::changed, "a", 13}}));
  cache.apply({14, {removal("a")}});
  EXPECT_EQ(content_of(cache, "a"), "(none)");
  cache.note("a", {"late", {}, {}}, 13);
  EXPECT_EQ(content_of(cache, "a"), "(none)") << "the watch knows better";
}

TEST(FileCache, ListsFolders) {
  FileCache cache;
  cache.load({1,
              {record("a", "", 1), record("a/b", "", 1), record("a/c/d", "", 1),
               record("ab", "", 1), record("b", "", 1)}});
  EXPECT_THAT(names_in(cache, ""), ElementsAre("a", "a/b", "a/c/d", "ab", "b"));
  EXPECT_THAT(names_in(cache, "a"), ElementsAre("a", "a/b", "a/c/d"));
  EXPECT_THAT(names_in(cache, "a/c"), ElementsAre("a/c/d"));
  EXPECT_THAT(names_in(cache, "none"), IsEmpty());
}

TEST(FileCache, KnowsWhoOwnsWhat) {
  FileCache cache;
  cache.load({1, {{key_of_file("e"), text_of({"", {}, FileOwner{4, 9}}), 1}, record("p", "", 1)}});
  EXPECT_THAT(cache.owned([](const FileOwner& o) { return o.life == 4; }), ElementsAre("e"));
  EXPECT_THAT(cache.owned([](const FileOwner& o) { return o.life == 5; }), IsEmpty());
}

TEST(FileCache, PassesOverWhatIsNotOurs) {
  FileCache cache;
  cache.load({2, {{"a//", "somebody's", 1}, {"b", "file\n", 2}}});
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_THAT(cache.apply({3, {{"a//", "again"}, {"c", "x"}}}), IsEmpty());
}

}  // namespace
}  // namespace hapax
