#include "handshake/quiet_bio.h"

#include <cerrno>
#include <cstdint>
#include <sys/socket.h>

namespace hapax {
namespace {

int fd_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

bool is_passing(int error) { return error == EAGAIN || error == EINTR; }

int write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = send(fd_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (count < 0 && is_passing(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int read(BIO* bio, char* room, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = recv(fd_of(bio), room, static_cast<std::size_t>(size), 0);
  if (count < 0 && is_passing(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quiet socket");
  if (method == nullptr) return nullptr;
  BIO_meth_set_write(method, write);
  BIO_meth_set_read(method, read);
  BIO_meth_set_ctrl(method, control);
  return method;
}

}  // namespace

BIO* make_quiet_bio(int fd) {
  static BIO_METHOD* const method = make_method();
  BIO* bio = method == nullptr ? nullptr : BIO_new(method);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)));
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace hapax
