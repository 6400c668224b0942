// Leadership by a name: of all programs that campaign for it, one leads at a time.
//
//   lead [NAME [VALUE]]     speaks to the daemon at $HAPAX_ADDRESS, or to the local one
#include <exception>
#include <hapax/hapax.h>
#include <iostream>

int main(int argc, char** argv) {
  try {
    hapax::Client client;
    hapax::Election scheduler{client, argc > 1 ? argv[1] : "scheduler"};
    scheduler.campaign(argc > 2 ? argv[2] : "an example");  // What observers see of us.

    std::cout << "leads " << scheduler.name() << ", fence " << scheduler.fence() << '\n';
    scheduler.resign();
  } catch (const std::exception& e) {
    std::cerr << "lead: " << e.what() << '\n';
    return 1;
  }
}
