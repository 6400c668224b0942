// Another process with a lock, to be stopped or killed. It is to be made before there are threads
// here: a child of a process with threads may find a lock of the allocator taken for ever.
#pragma once

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/send_signal.h"
#include "hapax/client.h"
#include "hapax/mutex.h"

namespace hapax::client::testing {

class OtherProcess {
 public:
  // When it is told where, it makes use(mutex) of the lock of that name, and sleeps.
  template <class Use>
  OtherProcess(const std::string& name, Use use) {
    int to_child[2], from_child[2];
    if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(to_child[1]);
      close(from_child[0]);
      run(to_child[0], from_child[1], name, use);
    }
    close(to_child[0]);
    close(from_child[1]);
    to_ = to_child[1];
    from_ = from_child[0];
  }
  ~OtherProcess() {
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(to_);
    close(from_);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  // False: it has ended.
  [[nodiscard]] bool use_lock(const std::string& address) const {
    char byte = 0;
    return write(to_, address.c_str(), address.size()) == static_cast<ssize_t>(address.size()) &&
           read(from_, &byte, 1) == 1;
  }
  void signal(int number) const { signal_process(pid_, number); }

 private:
  template <class Use>
  [[noreturn]] static void run(int from, int to, const std::string& name, Use& use) {
    alarm(60);
    std::array<char, 200> address{};
    if (read(from, address.data(), address.size() - 1) <= 0) _exit(1);
    Client client{address.data()};
    Mutex mutex{client, name};
    use(mutex);
    (void)!write(to, "x", 1);
    for (;;) pause();
  }

  pid_t pid_ = 0;
  int to_ = -1, from_ = -1;
};

}  // namespace hapax::client::testing
