#include "catena/serve/visit.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace catena {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

constexpr const char* kText = "text/plain; charset=utf-8";

}  // namespace

Visit::Visit(boost::asio::ip::tcp::socket&& socket, House& house) : house_(house), stream_(std::move(socket)) {
  ++house_.connections;
  parser_.header_limit(kHeaderBytes);
  parser_.body_limit(0);
  arriving_ = house_.arriving.insert(house_.arriving.end(), this);
}

Visit::~Visit() {
  no_longer_arriving();
  if (counted_) --house_.connections;
}

void Visit::no_longer_arriving() {
  if (arriving_ != house_.arriving.end()) house_.arriving.erase(arriving_);
  arriving_ = house_.arriving.end();
}

void Visit::drop() {
  no_longer_arriving();
  if (std::exchange(counted_, false)) --house_.connections;
  stream_.close();
}

void Visit::begin() {
  stream_.expires_after(milliseconds(house_.limits.request_patience));
  http::async_read_header(stream_, buffer_, parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    self->no_longer_arriving();
    if (!error) self->arrived();
  });
}

void Visit::arrived() {
  const auto& request = parser_.get();
  if (const std::string_view why = house_.door.refusal(request); !why.empty())
    return send(http::status::forbidden, fmt::format("Refused: {}.\n", why), kText);
  const std::string_view path = path_of({request.target().data(), request.target().size()});
  if (request.method() != http::verb::get)
    return send(http::status::method_not_allowed, "Only GET is answered here.\n", kText);
  if (path == "/live" && house_.run && beast::websocket::is_upgrade(request)) return watch();
  if (path == "/") return send(http::status::ok, house_.page, "text/html; charset=utf-8");
  send(http::status::not_found, "There is nothing here.\n", kText);
}

void Visit::watch() {
  if (house_.watchers.size() >= house_.limits.watchers)
    return send(http::status::service_unavailable, "As many pages as may do watch this run already; close one.\n",
                kText);
  const auto watcher = std::make_shared<Watcher>(std::move(stream_), *house_.run, house_.limits);
  counted_ = false;
  house_.watchers.insert(watcher);
  watcher->begin(parser_.get(), [&house = house_](Watcher* gone) {
    --house.connections;
    std::erase_if(house.watchers, [gone](const auto& each) { return each.get() == gone; });
  });
}

void Visit::send(http::status status, std::string body, const char* type) {
  stream_.expires_after(milliseconds(house_.limits.patience));
  answer_ = Answer{status, 11};
  answer_.set(http::field::content_type, type);
  answer_.set(http::field::cache_control, "no-store");
  answer_.set("X-Content-Type-Options", "nosniff");
  answer_.set("X-Frame-Options", "DENY");
  answer_.set("Referrer-Policy", "no-referrer");
  answer_.set("Cross-Origin-Resource-Policy", "same-origin");
  answer_.set("Content-Security-Policy",
              fmt::format("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
                          "blob:; connect-src ws://127.0.0.1:{0} ws://localhost:{0}; frame-ancestors 'none'",
                          house_.port));
  answer_.keep_alive(false);
  answer_.body() = std::move(body);
  answer_.prepare_payload();
  http::async_write(stream_, answer_, [self = shared_from_this()](beast::error_code, std::size_t) {
    beast::error_code ignored;
    self->stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  });
}

}  // namespace catena
