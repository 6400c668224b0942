// What people and their tools see of real daemons: metrics, alerts, health, logs, tables.
#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sqlite3.h>
#include <sstream>
#include <string>

#include "etcd_testing.h"
#include "http_testing.h"
#include "process_testing.h"

namespace hapax::testing {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

using Names = std::set<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// All that looks like a metric of ours, without what histograms add.
Names metrics_in(const std::string& text) {
  static const std::regex metric{R"(\bhapax_[a-z_]+)"};
  Names names;
  for (std::sregex_iterator at{text.begin(), text.end(), metric}, end; at != end; ++at) {
    names.insert(std::regex_replace(at->str(), std::regex{"_(bucket|count|sum)$"}, ""));
  }
  return names;
}

std::string file_of_project(const std::string& path) {
  return contents_of(fs::path{HAPAX_ROOT} / path);
}

class Seeing : public ::testing::Test {
 protected:
  struct Finished {
    int status;
    std::string out, err;
  };
  Finished finish(const Arguments& words, milliseconds patience = 30s) const {
    Process process{words, {}, folder_};
    process.close_input();
    const int status = process.wait(patience);
    return {status, process.out(), process.err()};
  }
  // By the first member, unless another is named.
  Finished hapax(Arguments words, int member = 1) const {
    words.insert(words.begin(), HAPAX_BINARY);
    words.insert(words.begin() + 2, {"--address", address(member)});
    return finish(words);
  }
  static bool has(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
  }

  std::string address(int i) const { return "unix:" + (folder_ / fmt::format("c{}", i)).string(); }
  std::string engine_file() const { return folder_ / "group.db"; }
  Arguments node_words(int i, const Arguments& more) const {
    Arguments words{HAPAX_BINARY,
                    "node",
                    "--engine",
                    engine_,
                    "--listen",
                    "unix:" + (folder_ / fmt::format("m{}", i)).string(),
                    "--clients",
                    address(i),
                    "--name",
                    fmt::format("db{}", i),
                    "--ttl",
                    "2s",
                    "--new-group",
                    "--state",
                    folder_ / fmt::format("s{}", i),
                    "--metrics",
                    "127.0.0.1:0"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // A member, as soon as it grants locks.
  void start(int i, const Arguments& more = {}) {
    nodes_[i] = std::make_unique<Process>(node_words(i, more), Environment{}, folder_);
    ASSERT_EQ(hapax({"status", "--wait", "30s"}, i).status, 0) << nodes_[i]->err();
  }
  std::string log_of(int i) const { return nodes_.at(i)->err(); }
  bool is_logged(int i, const std::string& what) const {
    return eventually([&] { return log_of(i).find(what) != std::string::npos; }, 30s);
  }
  std::uint16_t port(int i) const {
    static const std::regex where{R"(metrics at http://127\.0\.0\.1:(\d+)/)"};
    const std::string log = log_of(i);
    std::smatch match;
    return std::regex_search(log, match, where) ? static_cast<std::uint16_t>(std::stoi(match[1]))
                                                : std::uint16_t{0};
  }
  std::string get(int i, const std::string& path) const { return http_get(port(i), path); }
  std::string metrics(int i) const { return body_of(get(i, "/metrics")); }

  // The engine does not answer as long as this lives.
  class Blockade {
   public:
    explicit Blockade(const std::string& file) {
      EXPECT_EQ(sqlite3_open(file.c_str(), &database_), SQLITE_OK);
      sqlite3_busy_timeout(database_, 20'000);
      EXPECT_EQ(sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    ~Blockade() { sqlite3_close(database_); }
    Blockade(const Blockade&) = delete;
    Blockade& operator=(const Blockade&) = delete;

   private:
    sqlite3* database_ = nullptr;
  };

  Folder folder_;
  std::string engine_ = "embedded:" + engine_file();
  std::map<int, std::unique_ptr<Process>> nodes_;
};

TEST_F(Seeing, MetricsAreWellFormedAndAllExplained) {
  start(1, {"--algorithm", "orders/*=maekawa"});
  start(2, {"--algorithm", "orders/*=maekawa"});
  for (const int member : {1, 2}) {
    for (const char* lock : {"x", "orders/1"}) {
      ASSERT_EQ(hapax({"run", lock, "--", "true"}, member).status, 0);
    }
  }
  const std::string text = metrics(1);
  EXPECT_THAT(text, HasSubstr("\nhapax_ready 1\n"));
  EXPECT_THAT(text, HasSubstr("\nhapax_view_members 2\n"));
  EXPECT_THAT(text, HasSubstr("\nhapax_peers_up 1\n"));
  EXPECT_THAT(text, HasSubstr("\nhapax_entries_total 2\n"));
  EXPECT_THAT(text, HasSubstr("hapax_lock_wait_duration_seconds_count{algorithm=\"maekawa\","
                              "policy=\"orders/*\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("hapax_messages_sent_total{algorithm=\"maekawa\"}"));
  EXPECT_THAT(text, HasSubstr("hapax_member_info{group=\"hapax\",member=\"db1\",seat=\"1\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("hapax_engine_commit_duration_seconds_count 0\n")));

  Names shown = metrics_in(text);
  shown.insert("hapax_certificate_expires_timestamp_seconds");  // Of who has one.
  EXPECT_THAT(metrics_in(file_of_project("deploy/grafana/hapax.json")), IsSubsetOf(shown));
  EXPECT_THAT(metrics_in(file_of_project("deploy/prometheus/hapax.rules.yml")), IsSubsetOf(shown));
  EXPECT_EQ(metrics_in(file_of_project("docs/operations.md")), shown);

  if (!has("promtool")) GTEST_SKIP() << "no promtool to test against";
  std::ofstream{folder_ / "metrics.txt"} << text;
  const Finished checked =
      finish({"sh", "-c", "promtool check metrics < " + (folder_ / "metrics.txt").string()});
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  EXPECT_EQ(checked.out + checked.err, "");
}

TEST_F(Seeing, CountersGoOnAcrossViews) {
  start(1);
  ASSERT_EQ(hapax({"run", "x", "--", "true"}).status, 0);
  start(2);
  ASSERT_TRUE(is_logged(1, "of 2 members begins"));
  ASSERT_EQ(hapax({"run", "x", "--", "true"}).status, 0);
  EXPECT_THAT(metrics(1), HasSubstr("\nhapax_entries_total 2\n"));
  EXPECT_THAT(metrics(1), HasSubstr("\nhapax_view_change_duration_seconds_count 2\n"));
}

TEST_F(Seeing, AlertsFireWhenTheyShouldAndAreExplained) {
  const std::string rules = file_of_project("deploy/prometheus/hapax.rules.yml");
  const std::string runbook = file_of_project("docs/operations.md");
  static const std::regex alert{R"(- alert: (\w+))"};
  std::size_t alerts = 0;
  for (std::sregex_iterator at{rules.begin(), rules.end(), alert}, end; at != end; ++at) {
    ++alerts;
    EXPECT_THAT(runbook, HasSubstr("`" + (*at)[1].str() + "`"));
    EXPECT_THAT(file_of_project("deploy/prometheus/hapax.rules.test.yml"),
                HasSubstr("alertname: " + (*at)[1].str()));
  }
  EXPECT_GT(alerts, 10u);
  if (!has("promtool")) GTEST_SKIP() << "no promtool to test against";
  const std::string folder = (fs::path{HAPAX_ROOT} / "deploy/prometheus").string();
  const Finished checked = finish({"promtool", "check", "rules", folder + "/hapax.rules.yml"});
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  const Finished tested = finish({"promtool", "test", "rules", folder + "/hapax.rules.test.yml"});
  EXPECT_EQ(tested.status, 0) << tested.out << tested.err;
}

TEST_F(Seeing, APrometheusScrapesItAndKnowsTheRules) {
  if (!has("prometheus")) GTEST_SKIP() << "no prometheus to test against";
  start(1);
  const auto own = static_cast<std::uint16_t>(free_port());
  std::ofstream{folder_ / "prometheus.yml"} << fmt::format(
      "global: {{scrape_interval: 250ms, evaluation_interval: 250ms}}\n"
      "rule_files: [{}/deploy/prometheus/hapax.rules.yml]\n"
      "scrape_configs:\n"
      "  - job_name: hapax\n"
      "    static_configs: [{{targets: [\"127.0.0.1:{}\"]}}]\n",
      HAPAX_ROOT, port(1));
  Process prometheus{{"prometheus", "--config.file=" + (folder_ / "prometheus.yml").string(),
                      "--storage.tsdb.path=" + (folder_ / "tsdb").string(),
                      fmt::format("--web.listen-address=127.0.0.1:{}", own), "--log.level=error"},
                     {},
                     folder_};
  const auto asked = [&](const std::string& query) {
    return body_of(http_get(own, "/api/v1/query?query=" + query));
  };
  EXPECT_TRUE(
      eventually([&] { return asked("hapax_ready").find(",\"1\"]") != std::string::npos; }, 60s))
      << asked("up") << prometheus.err();
  EXPECT_THAT(asked("up"), HasSubstr(",\"1\"]"));
  EXPECT_THAT(asked("hapax_build_info"), HasSubstr("\"version\":"));
  EXPECT_THAT(asked("hapax_lock_wait_duration_seconds_bucket"), HasSubstr("\"le\":\"0.0001\""));
  std::string rules;
  EXPECT_TRUE(eventually(
      [&] {
        rules = body_of(http_get(own, "/api/v1/rules"));
        return rules.find("\"health\":\"ok\"") != std::string::npos &&
               rules.find("\"health\":\"unknown\"") == std::string::npos;
      },
      30s));
  EXPECT_THAT(rules, Not(HasSubstr("\"health\":\"err\""))) << rules;
  const Blockade blockade{engine_file()};
  EXPECT_TRUE(eventually(
      [&] { return asked("ALERTS").find("HapaxLeaseInJeopardy") != std::string::npos; }, 30s));
}

TEST_F(Seeing, WithoutALeaseEverythingSaysSoAndWhy) {
  start(1);
  EXPECT_THAT(get(1, "/readyz"), AllOf(StartsWith("HTTP/1.1 200 "),
                                       MatchesRegex("(.|\n)*ready: a lease for another "
                                                    "[0-9]+ ms, view [0-9]+ of 1 member\n")));
  {
    const Blockade blockade{engine_file()};
    ASSERT_TRUE(is_logged(1, "error: the lease is lost"));
    EXPECT_THAT(log_of(1), HasSubstr("warning: the lease is in jeopardy: "));
    EXPECT_THAT(get(1, "/readyz"), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("\nno lease: ")));
    EXPECT_THAT(get(1, "/healthz"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("\nalive, for ")));
    EXPECT_THAT(metrics(1), HasSubstr("\nhapax_ready 0\n"));
    EXPECT_THAT(metrics(1), HasSubstr("\nhapax_lease_losses_total 1\n"));
    const Finished status = hapax({"status"});
    EXPECT_EQ(status.status, 75) << status.err;
    EXPECT_THAT(status.out, HasSubstr("no lease"));
    EXPECT_EQ(hapax({"status", "--wait", "200ms"}).status, 75);
  }
  EXPECT_EQ(hapax({"status", "--wait", "30s"}).status, 0);
  EXPECT_EQ(hapax({"status", "--wait"}).status, 0);
  EXPECT_TRUE(is_logged(1, " the lease is back, after "));
  EXPECT_THAT(metrics(1), HasSubstr("\nhapax_ready 1\n"));
}

TEST_F(Seeing, AnEngineThatDoesNotAnswerIsNamed) {
  if (!EtcdServer::is_here(folder_)) GTEST_SKIP() << "no etcd to test against";
  EtcdServer etcd{folder_};
  ASSERT_TRUE(etcd.start("data"));
  engine_ = etcd.url();
  start(1);
  etcd.pause();
  ASSERT_TRUE(is_logged(1, "warning: the engine " + engine_ + " does not answer: "));
  ASSERT_TRUE(is_logged(1, "error: the lease is lost"));
  EXPECT_THAT(get(1, "/readyz"), HasSubstr("\nno lease: etcd at 127.0.0.1:"));
  EXPECT_THAT(get(1, "/metrics"), HasSubstr("\nhapax_engine_up 0\n"));
  etcd.go_on();
  ASSERT_TRUE(is_logged(1, " the lease is back, after "));
  EXPECT_TRUE(is_logged(1, "the engine " + engine_ + " answers again, after "));
}

TEST_F(Seeing, WaitsForADaemonThatIsNotThereYet) {
  EXPECT_EQ(hapax({"status", "--wait", "100ms"}).status, 69);
  EXPECT_EQ(hapax({"status", "--wait", "soon"}).status, 64);
  Process waiting{{HAPAX_BINARY, "status", "--address", address(1), "--wait"}, {}, folder_};
  start(1);
  EXPECT_EQ(waiting.wait(), 0) << waiting.err();
}

TEST_F(Seeing, AllMembersSayHowTheyAre) {
  for (const int i : {1, 2}) start(i);
  ASSERT_TRUE(is_logged(1, "of 2 members begins"));
  const Finished text = hapax({"status", "--all"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("member  name  grants  view  of  clients  held"));
  EXPECT_THAT(text.out, HasSubstr("\n     1  db1   yes"));
  EXPECT_THAT(text.out, HasSubstr("\n     2  db2   yes"));
  const json::object both = json::parse(hapax({"status", "--all", "--json"}).out).as_object();
  EXPECT_EQ(both.at("all").as_array().size(), 2u);
  EXPECT_EQ(both.at("all").as_array()[1].at("name"), "db2");
  nodes_[2]->signal(SIGSTOP);
  const json::object one = json::parse(hapax({"status", "--all", "--json"}).out).as_object();
  EXPECT_EQ(one.at("silent"), json::array{2});
  nodes_[2]->signal(SIGCONT);
}

TEST_F(Seeing, TheLogTellsWhoCameAndWhoWentAndHowLongThatTook) {
  start(1);
  start(2);
  ASSERT_TRUE(is_logged(1, "of 2 members begins, after "));
  EXPECT_THAT(log_of(1), HasSubstr(" without one: db2 came\n"));
  nodes_[2]->signal(SIGKILL);
  ASSERT_TRUE(is_logged(1, ": db2 is gone"));
  EXPECT_THAT(log_of(1), HasSubstr(": db2 is gone, last heard of "));
}

TEST_F(Seeing, TheLogIsJsonIfAskedForAndAsQuietAsAskedFor) {
  start(1, {"--log-format", "json"});
  const auto lines = lines_of(log_of(1));
  ASSERT_GT(lines.size(), 2u);
  for (const std::string& line : lines) {
    json::error_code error;
    const json::value value = json::parse(line, error);
    ASSERT_FALSE(error) << line;
    EXPECT_THAT(value.at("time").as_string().c_str(), MatchesRegex("20[0-9-]+T[0-9:.]+Z"));
    EXPECT_THAT(value.at("level").as_string().c_str(), MatchesRegex("info|warning|error"));
    EXPECT_FALSE(value.at("message").as_string().empty());
  }
  start(2, {"--log-level", "error"});
  EXPECT_THAT(log_of(2), Not(HasSubstr("serves clients")));
  const Finished wrong = finish(node_words(3, {"--log-level", "loud"}));
  EXPECT_EQ(wrong.status, 64);
  EXPECT_THAT(wrong.err, HasSubstr("debug, info, warning or error"));
}

TEST_F(Seeing, TheJournalIsToldPrioritiesAndNoTime) {
  std::string command = "JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) exec";
  for (const std::string& word : node_words(1, {"--insecure"})) command += " '" + word + "'";
  nodes_[1] = std::make_unique<Process>(Arguments{"sh", "-c", command}, Environment{}, folder_);
  ASSERT_EQ(hapax({"status", "--wait", "30s"}).status, 0);
  for (const std::string& line : lines_of(log_of(1)))
    EXPECT_THAT(line, MatchesRegex("<[346]>[^0-9].*"));
  const Blockade blockade{engine_file()};
  EXPECT_TRUE(is_logged(1, "\n<4>the lease is in jeopardy"));
  EXPECT_TRUE(is_logged(1, "\n<3>the lease is lost"));
}

TEST_F(Seeing, PatternsStandForManyLocks) {
  start(1);
  Process watching{{HAPAX_BINARY, "watch", "--address", address(1), "orders/*"}, {}, folder_};
  std::map<std::string, std::unique_ptr<Process>> holders;
  for (const char* lock : {"orders/1", "orders/2", "bills/1"}) {
    holders[lock] = std::make_unique<Process>(
        Arguments{HAPAX_BINARY, "run", "--address", address(1), lock, "--", "sleep", "60"},
        Environment{}, folder_);
  }
  ASSERT_TRUE(eventually(
      [&] {
        const std::string out = watching.out();
        return out.find("orders/1 held by ") != std::string::npos &&
               out.find("orders/2 held by ") != std::string::npos;
      },
      20s))
      << watching.err();
  ASSERT_TRUE(eventually([&] { return hapax({"who"}).out.find("bills/1") != std::string::npos; }));
  const Finished who = hapax({"who", "orders/*"});
  EXPECT_THAT(who.out, AllOf(HasSubstr("orders/1"), HasSubstr("orders/2")));
  EXPECT_THAT(who.out, Not(HasSubstr("bills/1")));
  EXPECT_THAT(hapax({"who", "*/1"}).out, AllOf(HasSubstr("bills/1"), Not(HasSubstr("orders/2"))));
  holders["orders/1"]->signal(SIGTERM);
  EXPECT_TRUE(
      eventually([&] { return watching.out().find("orders/1 VACANT") != std::string::npos; }, 20s));
  EXPECT_THAT(watching.out(), Not(HasSubstr("bills")));
}

TEST_F(Seeing, TablesFitThePageAndEachColumnHasAHeading) {
  start(1);
  const std::string lock = "tenants/" + std::string(100, 'a') + "/orders/4711";
  Process holder{
      {HAPAX_BINARY, "run", "--address", address(1), lock, "--", "sleep", "60"}, {}, folder_};
  std::string who;
  ASSERT_TRUE(eventually([&] {
    who = hapax({"who"}).out;
    return who.find("tenants/") != std::string::npos;
  }));
  EXPECT_THAT(who, AllOf(HasSubstr("tenants/"), HasSubstr("…"), HasSubstr("11 ")));
  EXPECT_THAT(lines_of(who).front(),
              MatchesRegex("lock +algorithm +who +host +pid +since +fence +command"));
  EXPECT_THAT(hapax({"members"}).out,
              MatchesRegex(" *life +seat +name +is +link +release +address\n(.|\n)*"));
  for (const Arguments& words :
       {Arguments{"who"}, Arguments{"members"}, Arguments{"status", "--all"}}) {
    const auto lines = lines_of(hapax(words).out);
    const auto rule = std::find_if(lines.begin(), lines.end(),
                                   [](const std::string& line) { return line.starts_with("─"); });
    ASSERT_NE(rule, lines.end());
    EXPECT_LE(rule->size() / std::string{"─"}.size(), 80u) << words[0];
  }
}

}  // namespace
}  // namespace hapax::testing
