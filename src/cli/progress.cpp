#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace catena::cli {

Progress::Progress(double end, bool quiet, Counts counts)
    : end_(end), enabled_(!quiet && isatty(STDERR_FILENO) != 0), counts_(counts), begin_(Clock::now()), last_(begin_) {}

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
  const std::string at = counts_ == Counts::members ? fmt::format("{:.0f} of {:.0f} members", now, end_)
                                                    : fmt::format("t = {:.3g} s", now);
  fmt::print(stderr, "\r\x1b[K[{}{}] {:3.0f} %  {}  {:.0f} s left", std::string(filled, '#'),
             std::string(kWidth - filled, '.'), 100 * part, at, left);
}

}  // namespace catena::cli
