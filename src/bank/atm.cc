#include "bank/atm.h"

#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <unistd.h>

#include "bank/books.h"
#include "hapax/client.h"
#include "hapax/mutex.h"

namespace hapax::bank {
namespace {

constexpr std::chrono::seconds kToHear{10};

class Atm {
 public:
  Atm(const std::filesystem::path& books, int number) : books_(books), number_(number) {}

  std::string answer(const std::string& line) {
    std::istringstream words{line};
    std::string verb;
    words >> verb;
    if (verb == "deposit") return deposit(words, false);
    if (verb == "deposit-locked") return deposit(words, true);
    if (verb == "connect") return connect(words);
    if (verb == "take") return take(words);
    if (verb == "put") return put(words);
    if (verb == "read") return read(words);
    if (verb == "write") return write(words);
    if (verb == "hear-of-loss") return hear_of_loss();
    if (verb == "leave") return leave();
    throw std::runtime_error{"no such command: " + line};
  }

 private:
  std::string deposit(std::istringstream& words, bool with_lock) {
    int account = 0;
    int times = 0;
    Money amount = 0;
    useconds_t think_us = 0;
    words >> account >> times >> amount >> think_us;
    for (int i = 0; i < times; ++i) {
      std::unique_lock<Mutex> lock;
      if (with_lock) lock = std::unique_lock{mutex()};
      const Money balance = books_.balance(account);
      usleep(think_us);
      books_.deposit(account, number_, balance + amount, amount,
                     with_lock ? std::optional{mutex().fence()} : std::nullopt);
      if (with_lock && mutex().lost().stop_requested()) {
        throw std::runtime_error{"its lock was lost: the machine is too busy; try again"};
      }
    }
    return "done";
  }

  std::string connect(std::istringstream& words) {
    std::string address;
    std::string account;
    words >> address >> account;
    mutex_.reset();
    client_.reset();
    client_ = std::make_unique<Client>(address);
    mutex_ = std::make_unique<Mutex>(*client_, "accounts/" + account);
    return "ready";
  }

  std::string take(std::istringstream& words) {
    int account = 0;
    words >> account;
    mutex().lock();
    fence_ = mutex().fence();
    const auto balance = books_.guarded_balance(account, fence_);
    if (!balance) return "refused";
    seen_[account] = *balance;
    return fmt::format("took {} {} {}", number(fence_.epoch), number(fence_.turn), *balance);
  }

  // Does not ask whether the lock is still held: that may be over a moment later in any case.
  std::string put(std::istringstream& words) {
    int account = 0;
    Money amount = 0;
    words >> account >> amount;
    const Money sum = seen_.at(account) + amount;
    return books_.guarded_deposit(account, number_, sum, amount, fence_) ? "admitted" : "refused";
  }

  std::string read(std::istringstream& words) {
    int account = 0;
    words >> account;
    seen_[account] = books_.balance(account);
    return fmt::format("read {}", seen_[account]);
  }

  std::string write(std::istringstream& words) {
    int account = 0;
    Money amount = 0;
    words >> account >> amount;
    books_.deposit(account, number_, seen_.at(account) + amount, amount, fence_);
    return "written";
  }

  std::string hear_of_loss() {
    const std::stop_token lost = mutex().lost();
    std::mutex guard;
    std::condition_variable_any heard;
    std::unique_lock lock{guard};
    if (!heard.wait_for(lock, lost, kToHear, [&] { return false; }) && lost.stop_requested()) {
      return "lost";
    }
    throw std::runtime_error{"its lock does not say that it is lost"};
  }

  std::string leave() {
    mutex().unlock();
    return "left";
  }

  Mutex& mutex() {
    if (!mutex_) throw std::runtime_error{"not connected"};
    return *mutex_;
  }

  Books books_;
  int number_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Mutex> mutex_;
  Fence fence_;
  std::map<int, Money> seen_;  // Balances, as last read.
};

}  // namespace

int run_atm(const std::filesystem::path& books, int number) {
  Atm atm{books, number};
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      answer = atm.answer(line);
    } catch (const std::exception& e) {
      answer = fmt::format("error {}", e.what());
    }
    std::cout << answer << std::endl;
  }
  return 0;
}

}  // namespace hapax::bank
