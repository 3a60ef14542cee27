#include "catena/serve/server.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "catena/model/error.h"
#include "catena/serve/visit.h"

namespace catena {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

}  // namespace

struct Server::Implementation {
  Implementation(std::string page, LiveRun* run, std::uint16_t port, const ServerLimits& limits)
      : token(random_token()), house{std::move(page), run, limits, 0, Door(0, ""), 0, {}, {}}, acceptor(io) {
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    boost::system::error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) throw InputError{fmt::format("port {} cannot be had: {}", port, error.message())};
    house.port = acceptor.local_endpoint().port();
    house.door = Door(house.port, token);
    signals.async_wait([this](boost::system::error_code failed, int) {
      if (!failed) stop();
    });
  }

  void accept() {
    acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error && room_for_one()) std::make_shared<Visit>(std::move(socket), house)->begin();
      accept();
    });
  }

  // Whoever connects and says nothing may not keep others out: the oldest request that has not arrived yet gives way.
  bool room_for_one() {
    if (house.connections < house.limits.connections) return true;
    if (house.arriving.empty()) return false;
    house.arriving.front()->drop();
    return true;
  }

  // From the run's thread. However slow this thread is, one frame waits for it and no more.
  void frame() {
    if (frame_waits.exchange(true)) return;
    asio::post(io, [this] {
      frame_waits = false;
      const Bytes latest = house.run->latest_frame();
      for (const auto& watcher : house.watchers) watcher->frame(latest);
    });
  }

  void words(Bytes text) {
    asio::post(io, [this, text = std::move(text)] {
      for (const auto& watcher : house.watchers) watcher->words(text);
    });
  }

  void stop() {
    asio::post(io, [this] {
      boost::system::error_code ignored;
      acceptor.close(ignored);
      io.stop();
    });
  }

  std::string token;
  House house;  // outlives the visits that wait in io
  asio::io_context io{1};
  asio::signal_set signals{io, SIGINT, SIGTERM};
  tcp::acceptor acceptor;
  std::atomic<bool> frame_waits{false};
};

Server::Server(std::string page, LiveRun* run, std::uint16_t port, const ServerLimits& limits)
    : implementation_(std::make_unique<Implementation>(std::move(page), run, port, limits)) {}

Server::~Server() = default;

std::uint16_t Server::port() const { return implementation_->house.port; }

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", port(), implementation_->token);
}

bool Server::serve() {
  Implementation& all = *implementation_;
  if (LiveRun* run = all.house.run)
    run->start({[&all](const Bytes&) { all.frame(); }, [&all](Bytes text) { all.words(std::move(text)); }});
  all.accept();
  all.io.run();
  constexpr std::chrono::duration<double> kPatience{0.5};
  const bool ended = !all.house.run || all.house.run->stop(kPatience);
  all.house.watchers.clear();  // their sockets belong to io
  return ended;
}

void Server::stop() { implementation_->stop(); }

}  // namespace catena
