// One HTTP request and its answer. A request for the live run becomes a Watcher.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <memory>
#include <set>
#include <string>

#include "catena/serve/door.h"
#include "catena/serve/watcher.h"

namespace catena {

class Visit;

// What all visits share, on the server's one thread.
struct House {
  std::string page;
  LiveRun* run = nullptr;
  ServerLimits limits;
  std::uint16_t port = 0;
  Door door;
  std::size_t connections = 0;
  std::set<std::shared_ptr<Watcher>> watchers;
  std::list<Visit*> arriving;  // whose requests have not arrived yet, the oldest first
};

class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(boost::asio::ip::tcp::socket&& socket, House& house);
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  void begin();
  void drop();  // while it is arriving: it is no longer counted, and its connection is closed

 private:
  using Answer = boost::beast::http::response<boost::beast::http::string_body>;

  void arrived();
  void no_longer_arriving();
  void watch();
  void send(boost::beast::http::status status, std::string body, const char* type);

  static constexpr std::uint32_t kHeaderBytes = 8192;

  House& house_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_{kHeaderBytes};
  boost::beast::http::request_parser<boost::beast::http::empty_body> parser_;
  Answer answer_;
  std::list<Visit*>::iterator arriving_;  // of the house's list, or its end
  bool counted_ = true;                   // among the house's connections; a watcher takes this over
};

}  // namespace catena
