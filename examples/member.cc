// A program that is a member of its group itself, with no daemon: it finds the others through an
// engine, here a file that the programs of this machine share.
//
//   member FILE ADDRESS [NAME]     ADDRESS is where the others reach us: unix:/path, or host:port
#include <exception>
#include <hapax/hapax.h>
#include <iostream>
#include <mutex>
#include <string>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "member: name a file and an address\n";
    return 64;
  }
  try {
    hapax::Node node{{.engine = std::string{"embedded:"} + argv[1], .listen = argv[2]}};
    hapax::Mutex orders{node, argc > 3 ? argv[3] : "orders/42"};

    const std::scoped_lock lock{orders};
    std::cout << "inside " << orders.name() << ", fence " << orders.fence() << ", good for "
              << orders.valid_for().count() << " ms\n";
  } catch (const std::exception& e) {
    std::cerr << "member: " << e.what() << '\n';
    return 1;
  }
}
