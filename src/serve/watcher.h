// One page that watches a live run, over a WebSocket. Lives on the server's one thread.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>

#include "catena/serve/door.h"
#include "catena/serve/server.h"

namespace catena {

class Watcher : public std::enable_shared_from_this<Watcher> {
 public:
  Watcher(boost::beast::tcp_stream&& stream, LiveRun& run, const ServerLimits& limits);

  // `leave` is called once, when the connection is over.
  void begin(const Door::Request& request, std::function<void(Watcher*)> leave);
  void frame(const Bytes& frame);  // replaces a frame that was not sent yet
  void words(const Bytes& words);
  void close();

 private:
  using Clock = std::chrono::steady_clock;

  void read();
  void received(std::size_t size);
  bool within_rate();
  void refuse(const std::string& why);
  void write_next();
  void over();

  boost::beast::websocket::stream<boost::beast::tcp_stream> socket_;
  LiveRun& run_;
  ServerLimits limits_;
  boost::beast::flat_buffer buffer_;
  std::function<void(Watcher*)> leave_;
  std::deque<Bytes> words_;
  Bytes frame_, sending_;
  bool open_ = false;
  double allowance_;  // messages that may come now
  Clock::time_point counted_ = Clock::now();
  int refused_ = 0;
};

}  // namespace catena
