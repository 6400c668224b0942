// How what is about files reaches the daemon: an answer of the kind that was asked for, or an
// exception.
#pragma once

#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "handles/gateway.h"
#include "handles/own_gateway.h"
#include "handles/questions.h"
#include "hapax/client.h"

namespace hapax::detail {

class FileAccess {
 public:
  static std::shared_ptr<Gateway> gateway_of(Client& client) { return client.gateway_; }

  template <class Told>
  static Told ask_for(Gateway& gateway, session::Ask ask, const std::string& what) {
    session::Answer answer;
    const std::error_code error = gateway.ask_about_files(std::move(ask), answer);
    return told_in<Told>(error, std::move(answer), what);
  }
  template <class Told>
  static Told told_in(std::error_code error, session::Answer&& answer, const std::string& what) {
    client::throw_if(error, what);
    if (auto* told = std::get_if<Told>(&answer)) return std::move(*told);
    const auto* refused = std::get_if<session::Refused>(&answer);
    client::throw_if(refused == nullptr ? Errc::protocol : Errc::refused,
                     refused == nullptr ? what : refused->why);
    return {};
  }
};

}  // namespace hapax::detail
