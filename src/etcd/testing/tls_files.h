// Certificates for an etcd server on 127.0.0.1 and for a client of it.
#pragma once

#include <string>
#include <vector>

#include "base/testing/folder.h"
#include "engine/options.h"
#include "engine/testing/process.h"

namespace hapax::engine::testing {

class TlsFolder {
 public:
  TlsFolder() {
    is_good_ = run(
        {"sh", "-ec",
         "cd " + certs_.path().string() +
             "\n"
             "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key"
             " -out ca.crt -subj /CN=ca -days 2\n"
             "for who in server client; do\n"
             "  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $who.key"
             "    -out $who.csr -subj /CN=$who\n"
             "  echo 'subjectAltName=IP:127.0.0.1' > ext\n"
             "  openssl x509 -req -in $who.csr -CA ca.crt -CAkey ca.key -CAcreateserial"
             "    -out $who.crt -days 2 -extfile ext\n"
             "done"},
        certs_ / "log");
  }
  bool is_good() const { return is_good_; }

  // For a server that asks for certificates.
  std::vector<std::string> server() const {
    return {"--cert-file",       certs_ / "server.crt", "--key-file",        certs_ / "server.key",
            "--trusted-ca-file", certs_ / "ca.crt",     "--client-cert-auth"};
  }
  TlsFiles client() const {
    return {certs_ / "ca.crt", certs_ / "client.crt", certs_ / "client.key"};
  }

 private:
  hapax::testing::Folder certs_;
  bool is_good_ = false;
};

}  // namespace hapax::engine::testing
