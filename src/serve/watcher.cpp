#include "catena/serve/watcher.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catena/model/error.h"

namespace catena {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

constexpr int kRefusalsBeforeClosing = 1000;

}  // namespace

Watcher::Watcher(beast::tcp_stream&& stream, LiveRun& run, const ServerLimits& limits)
    : socket_(std::move(stream)), run_(run), limits_(limits), allowance_(limits.messages_a_second) {}

void Watcher::begin(const Door::Request& request, std::function<void(Watcher*)> leave) {
  leave_ = std::move(leave);
  beast::get_lowest_layer(socket_)
      .expires_never();  // the WebSocket has its own clock: it pings, and leaves who does not answer
  socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
  socket_.read_message_max(limits_.message_bytes);
  socket_.auto_fragment(false);
  socket_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
    if (error) return self->over();
    self->open_ = true;
    self->words(self->run_.hello());
    self->words(self->run_.latest_status());
    self->frame(self->run_.latest_frame());
    self->read();
  });
}

void Watcher::read() {
  socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t size) {
    if (error) return self->over();
    self->received(size);
  });
}

void Watcher::received(std::size_t size) {
  const auto data = buffer_.data();
  const std::string text(static_cast<const char*>(data.data()), size);
  buffer_.consume(buffer_.size());
  if (!within_rate()) {
    refuse("too many commands a second");
    if (++refused_ > kRefusalsBeforeClosing) return close();
    return read();
  }
  try {
    if (!socket_.got_text()) throw InputError{"a command is text"};
    if (!run_.post(parse_command(text, run_.bodies()))) refuse("too many commands are waiting");
  } catch (const InputError& error) {
    refuse(error.what());
  }
  read();
}

// A bucket that fills steadily and that every message takes one from.
bool Watcher::within_rate() {
  const auto now = Clock::now();
  const double passed = std::chrono::duration<double>(now - counted_).count();
  counted_ = now;
  allowance_ = std::min(allowance_ + passed * limits_.messages_a_second, limits_.messages_a_second);
  if (allowance_ < 1) return false;
  allowance_ -= 1;
  return true;
}

void Watcher::refuse(const std::string& why) {
  words(std::make_shared<const std::string>(nlohmann::json{{"type", "error"}, {"message", why}}.dump()));
}

void Watcher::words(const Bytes& words) {
  if (!open_ || !words) return;
  if (words_.size() >= limits_.waiting_words) return;  // it does not read; frames tell it what it missed
  words_.push_back(words);
  write_next();
}

void Watcher::frame(const Bytes& frame) {
  if (!open_) return;
  frame_ = frame;
  write_next();
}

void Watcher::write_next() {
  if (sending_ || !open_) return;
  if (!words_.empty()) {
    sending_ = words_.front();
    words_.pop_front();
    socket_.text(true);
  } else if (frame_) {
    sending_ = std::move(frame_);
    frame_.reset();
    socket_.binary(true);
  } else {
    return;
  }
  socket_.async_write(boost::asio::buffer(*sending_),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->sending_.reset();
                        if (error) return self->over();
                        self->write_next();
                      });
}

void Watcher::close() {
  if (!open_) return;
  open_ = false;
  beast::get_lowest_layer(socket_).close();
}

void Watcher::over() {
  close();
  if (leave_) std::exchange(leave_, nullptr)(this);
}

}  // namespace catena
