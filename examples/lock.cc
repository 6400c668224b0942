// A lock by its name: the one that holds "orders/42" is the only one in the whole group.
//
//   lock [NAME]        speaks to the daemon at $HAPAX_ADDRESS, or to the local one
#include <exception>
#include <hapax/hapax.h>
#include <iostream>
#include <mutex>

int main(int argc, char** argv) {
  try {
    hapax::Client client;
    hapax::Mutex orders{client, argc > 1 ? argv[1] : "orders/42"};

    const std::scoped_lock lock{orders};
    std::cout << "inside " << orders.name() << ", fence " << orders.fence() << '\n';
  } catch (const std::exception& e) {
    std::cerr << "lock: " << e.what() << '\n';
    return 1;
  }
}
