// A history that a correct lock may have given has no findings; with one thing changed, it has.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "audit/testing/notebook.h"

namespace hapax::audit {
namespace {

using testing::Notebook;

std::string name_of_client(int client) { return "w" + std::to_string(client); }

// Clients enter one after another, never one twice in a row; each may have asked long before. Some
// come too late and are refused. Times between events are drawn, too; zero is one of them.
struct Author {
  Notebook book;
  std::vector<std::size_t> acquires, reads, writes;
  Nanos now = 1'000;
  std::uint64_t turn = 0;
  std::int64_t value = 0;

  Nanos later() { return now += *rc::gen::inRange<Nanos>(0, 20); }
  Nanos strictly_later() { return now += *rc::gen::inRange<Nanos>(1, 20); }
  void remember(std::vector<std::size_t>& list) { list.push_back(book.size() - 1); }

  void enter_and_leave(int client) {
    const std::string name = name_of_client(client);
    turn += *rc::gen::inRange<std::uint64_t>(1, 5);
    const Nanos asked = free_since[static_cast<std::size_t>(client)];
    const Nanos granted = strictly_later();
    book.acquire(name, {*rc::gen::inRange(asked, granted), granted}, turn);
    remember(acquires);
    strictly_later();
    book.read(name, {now, later()}, turn, value);
    remember(reads);
    strictly_later();
    book.write(name, {now, later()}, turn, ++value);
    remember(writes);
    strictly_later();
    book.release(name, {now, now + *rc::gen::inRange<Nanos>(0, 20)});
    free_since[static_cast<std::size_t>(client)] = now;
  }
  void come_too_late(int client) {
    book.write(name_of_client(client), {now, later()}, 0, 1).ok = false;
  }
  std::vector<Nanos> free_since = std::vector<Nanos>(4, 0);
};

Author correct_history() {
  Author author;
  const int entries = *rc::gen::inRange(2, 30);
  int client = 0;
  for (int i = 0; i < entries; ++i) {
    client = (client + *rc::gen::inRange(1, 4)) % 4;
    author.enter_and_leave(client);
    if (*rc::gen::inRange(0, 5) == 0) author.come_too_late(*rc::gen::inRange(0, 4));
  }
  author.strictly_later();
  author.book.read("final", {author.now, author.later()}, author.turn, author.value);
  return author;
}

RC_GTEST_PROP(CorrectHistory, HasNoFindings, ()) {
  const Author author = correct_history();
  RC_ASSERT(author.book.findings() == "");
}

std::size_t any_of(const std::vector<std::size_t>& list) { return *rc::gen::elementOf(list); }

std::size_t times(const Report& report, Kind kind) {
  return report.counts[static_cast<std::size_t>(kind)];
}

RC_GTEST_PROP(Mutation, AnEntryBeforeTheReleaseIsFoundAsOverlap, ()) {
  Author author = correct_history();
  const std::size_t which = *rc::gen::inRange<std::size_t>(1, author.acquires.size());
  const std::size_t before = author.acquires[which - 1], after = author.acquires[which];
  const Event& release = author.book[before + 3];
  RC_ASSERT(release.op == Op::release);
  Event& entry = author.book[after];
  entry.ret = release.call - 1;
  entry.call = std::min(entry.call, *entry.ret);
  RC_ASSERT(times(author.book.judge(), Kind::overlap) > 0);
}

RC_GTEST_PROP(Mutation, AFenceThatDoesNotGrowIsFound, ()) {
  Author author = correct_history();
  const std::size_t which = *rc::gen::inRange<std::size_t>(1, author.acquires.size());
  const std::uint64_t before = number(author.book[author.acquires[which - 1]].fence->turn);
  author.book[author.acquires[which]].fence->turn =
      Turn{*rc::gen::inRange<std::uint64_t>(0, before + 1)};
  RC_ASSERT(times(author.book.judge(), Kind::fence) > 0);
}

RC_GTEST_PROP(Mutation, AnAcceptedLateWriteIsFound, ()) {
  Author author = correct_history();
  const std::size_t which = *rc::gen::inRange<std::size_t>(1, author.writes.size());
  author.book[author.writes[which]].fence->turn = Turn{0};
  RC_ASSERT(times(author.book.judge(), Kind::stale_access) > 0);
}

RC_GTEST_PROP(Mutation, AnUpdateOnAnOldBasisIsFound, ()) {
  Author author = correct_history();
  const std::size_t which = *rc::gen::inRange<std::size_t>(1, author.writes.size());
  --*author.book[author.reads[which]].value;
  --*author.book[author.writes[which]].value;
  RC_ASSERT(times(author.book.judge(), Kind::lost_update) > 0);
}

RC_GTEST_PROP(Mutation, AWriteThatSkipsIsFound, ()) {
  Author author = correct_history();
  ++*author.book[any_of(author.writes)].value;
  RC_ASSERT(times(author.book.judge(), Kind::lost_update) > 0);
}

RC_GTEST_PROP(Mutation, AForgottenWriteIsFoundInTheTotal, ()) {
  Author author = correct_history();
  author.book.remove(any_of(author.writes));
  RC_ASSERT(times(author.book.judge(), Kind::total) > 0);
}

RC_GTEST_PROP(Mutation, AGrantThatWasOverIsFound, ()) {
  Author author = correct_history();
  Event& grant = author.book[any_of(author.acquires)];
  grant.valid_until = *grant.ret - *rc::gen::inRange<Nanos>(0, 40);
  RC_ASSERT(times(author.book.judge(), Kind::dead_on_arrival) == 1);
}

RC_GTEST_PROP(Mutation, AWaiterWithoutEndIsFound, ()) {
  Author author = correct_history();
  const int client = *rc::gen::inRange(0, 4);
  author.book.wait(name_of_client(client), author.now + *rc::gen::inRange<Nanos>(21, 40));
  RC_ASSERT(times(author.book.judge(), Kind::unserved) == 1);
}

}  // namespace
}  // namespace hapax::audit
