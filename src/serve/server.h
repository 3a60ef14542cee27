// HTTP and WebSocket on 127.0.0.1, for one page and one live run. Everything that arrives is refused until it has shown that it
// comes from this page: the Host is ours, the Origin (where there is one) is ours, and the address has the token.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "catena/serve/live_run.h"

namespace catena {

struct ServerLimits {
  std::size_t connections =
      32;  // at once; when there are as many, the request that has been arriving for longest makes room
  std::size_t watchers = 16;         // of them, pages that watch the run
  std::size_t message_bytes = 4096;  // of a command
  double messages_a_second = 240;    // a page; what is above is refused
  std::size_t waiting_words = 64;    // words a page has not read yet; a page that falls further behind is let go
  double request_patience = 3;       // s for a request to arrive
  double patience = 10;              // s for an answer to leave
};

class Server {
 public:
  // Binds 127.0.0.1:port (0: any free one). `run` may be null: the page is a replay, nothing is live. Throws InputError when the port
  // cannot be had. From here on SIGINT and SIGTERM end serve(). The run must outlive the server and not have been started.
  Server(std::string page, LiveRun* run, std::uint16_t port, const ServerLimits& limits = {});
  ~Server();

  std::uint16_t port() const;
  std::string address() const;  // http://127.0.0.1:PORT/?token=…

  // Until stop() or a signal; starts and stops the run. False when the run was still in a step half a second after that: its thread goes on,
  // and the process should end without waiting for it.
  bool serve();
  void stop();  // from any thread

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace catena
