// Who may come in.
#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

// 128 random bits as hexadecimal digits.
std::string random_token();

class Door {
 public:
  Door(std::uint16_t port, std::string token);

  using Request = boost::beast::http::request<boost::beast::http::empty_body>;
  // Why the request may not come in; empty when it may.
  std::string_view refusal(const Request& request) const;

 private:
  bool is_host(std::string_view host) const;

  std::string port_, token_;
};

// The path of a target, without its query.
std::string_view path_of(std::string_view target);

}  // namespace catena
