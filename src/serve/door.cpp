#include "catena/serve/door.h"

#include <fmt/format.h>

#include <random>

namespace catena {
namespace {

namespace http = boost::beast::http;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

// Takes the same time wherever the two differ.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return different == 0;
}

// The value of `token` in the query of a target.
std::string_view token_of(std::string_view target) {
  const std::size_t query = target.find('?');
  if (query == std::string_view::npos) return {};
  std::string_view rest = target.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    if (pair.starts_with("token=")) return pair.substr(6);
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  return {};
}

}  // namespace

std::string random_token() {
  std::random_device device;  // the system's
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<std::uint32_t>(device()));
  return token;
}

Door::Door(std::uint16_t port, std::string token) : port_(std::to_string(port)), token_(std::move(token)) {}

bool Door::is_host(std::string_view host) const { return host == "127.0.0.1:" + port_ || host == "localhost:" + port_; }

std::string_view Door::refusal(const Request& request) const {
  if (request.count(http::field::host) != 1 || !is_host(view(request[http::field::host])))
    return "another host's name is in the request";
  if (const auto origin = request.find(http::field::origin); origin != request.end()) {
    const std::string_view text = view(origin->value());
    if (request.count(http::field::origin) != 1 || !text.starts_with("http://") || !is_host(text.substr(7)))
      return "the request comes from another page";
  }
  if (!same(token_of(view(request.target())), token_))
    return "the address lacks the right token; use the one the program printed";
  return {};
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace catena
