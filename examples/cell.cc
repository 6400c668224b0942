// A counter that goes on when its master is killed: a small file says who is master, another has
// the count, and the engine behind the group's daemons keeps both.
//
//   cell serve NAME      stands by; as master it counts on, ten times a second, and says so
//   cell read            who is master, and how far it is
//
// Start two, kill the one that counts, or its daemon: the other goes on where it was.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <hapax/hapax.h>
#include <iostream>
#include <string>
#include <system_error>
#include <thread>

namespace {

constexpr const char* kMaster = "counter/master";  // The election, and the file that belongs to it.
constexpr const char* kCount = "counter/count";

// Until the lead is lost. Throws std::system_error, also if nobody knows whether it has counted.
void lead(hapax::Client& client, const std::string& name) {
  hapax::Election election{client, kMaster};
  election.campaign(name);
  // Refused if a later master has been here: this one is late, and does not know it yet.
  hapax::File{client, kMaster}.write(name, election.fence());
  hapax::File count{client, kCount};
  // What the master before has written last may not be in our daemon's cache yet.
  auto now = count.read(hapax::Freshness::fresh);
  while (!election.lost().stop_requested()) {
    const int next = now ? std::stoi(now->content) + 1 : 1;
    // Only on top of what was read: even a master that is late adds nothing twice.
    if (count.compare_and_swap(now ? now->version : 0, std::to_string(next))) {
      std::cout << name << " counts " << next << std::endl;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    now = count.read();
  }
}

// For ever: whoever is no longer master may be it again.
void serve(hapax::Client& client, const std::string& name) {
  for (;;) {
    try {
      lead(client, name);
      std::cout << name << " is no longer master, and stands by" << std::endl;
    } catch (const std::system_error& e) {  // Its daemon is gone, or the engine does not answer.
      std::cerr << name << " stands by: " << e.what() << std::endl;
      std::this_thread::sleep_for(std::chrono::seconds{1});
    }
  }
}

void show(hapax::Client& client) {
  const auto master = hapax::File{client, kMaster}.read();
  const auto count = hapax::File{client, kCount}.read();
  std::cout << (master ? master->content : "nobody") << " is master, the count is "
            << (count ? count->content : "0") << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "read";
  try {
    hapax::Client client;
    if (verb == "serve" && argc > 2) {
      serve(client, argv[2]);
    } else {
      show(client);
    }
  } catch (const std::exception& e) {
    std::cerr << "cell: " << e.what() << '\n';
    return 1;
  }
}
