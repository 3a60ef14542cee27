#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace catena::cli {

Progress::Progress(double end, bool quiet)
    : end_(end), enabled_(!quiet && isatty(STDERR_FILENO) != 0), begin_(Clock::now()), last_(begin_) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(double now) {
  if (!enabled_ || !(end_ > 0)) return;
  const auto time = Clock::now();
  using namespace std::chrono_literals;
  if (time - begin_ < 1s || time - last_ < 100ms) return;
  last_ = time;
  drawn_ = true;
  constexpr int kWidth = 40;
  const double part = std::clamp(now / end_, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(part * kWidth);
  const double spent = std::chrono::duration<double>(time - begin_).count();
  const double left = part > 0 ? spent * (1 - part) / part : 0;
  fmt::print(stderr, "\r\x1b[K[{}{}] {:3.0f} %  t = {:.3g} s  {:.0f} s left", std::string(filled, '#'),
             std::string(kWidth - filled, '.'), 100 * part, now, left);
}

}  // namespace catena::cli
