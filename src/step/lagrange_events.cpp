// When the laws of the method lagrange change: a step in parts.
#include <algorithm>
#include <cmath>

#include "catena/step/lagrange_laws.h"

namespace catena {
namespace {

constexpr double kMeeting = 1e-8;  // m/s or rad/s: slower meetings need no impulse
constexpr int kMostEvents = 100;   // of one step; what is left of it then goes to its end
constexpr int kRounds = 5;         // of impulses where one event brings on another
// A crossing is located to this, in m, rad, m/s or rad/s, or to rounding of the time.
constexpr double kLocated = 1e-12;
// The beginning of a slip or the opening of a contact leaves the accelerations continuous: a thousandth of the step is near enough.
constexpr int kOnsetHalvings = 10;

}  // namespace

void LagrangeLawsStepper::move(double h, State& state) {
  impacts_.clear();
  evaluations_ = rows_solved_ = 0;
  double left = h, most = h;
  for (int part = 0; left > 0; ++part) {
    if (!settle(left, state)) return;
    guard(state);
    const double before = left, longest = part < kMostEvents ? std::min({left, most, passing_}) : left;
    const double done = advance(longest, part < kMostEvents, state);
    left -= done;
    if (left < 1e-9 * h) {  // a rest this short would be rounding only
      state.time += left;
      left = 0;
    }
    if (report_.ok() && !find_not_finite(state)) stabilise(state);
    if (report_.ok()) hold(state);
    factored_ = false;
    if (takes_back(done, state)) {
      left = before;
      most = done / 2;
    }
    if (!report_.ok()) return;
  }
  remember(state);
  report_.contacts = static_cast<int>(laws_.contacts().size());
}

// Velocities the laws allow, which laws act, and the accelerations. `ahead`: what is left of the step.
bool LagrangeLawsStepper::settle(double ahead, State& state) {
  for (int round = 0; round < kRounds; ++round) {
    dynamics_.kinematics().update(*model_, state);
    laws_.find(dynamics_.kinematics(), ahead);
    if (impacts_.meeting(laws_, kMeeting)) {
      if (!factored_) factor(state);
      impacts_.throw_back(laws_, dynamics_, state, report_);
      dynamics_.kinematics().update(*model_, state);
      laws_.find(dynamics_.kinematics(), ahead);
    }
    passing_ = std::max(laws_.time_to_pass(dynamics_.kinematics(), ahead), 1e-9 * settings_.step);
    begin_modes(state);
    inconsistent_ = false;
    if (!accelerate(state)) return false;
    factored_ = true;
    if (!inconsistent_) break;
    shock(state);
  }
  name_beginnings();
  name_slow_slips();
  return true;
}

double LagrangeLawsStepper::small_acceleration() const { return 1e-9 + 1e-7 * scale_; }

void LagrangeLawsStepper::name_beginnings() {
  for (Mode& mode : modes_) {
    mode.leaves = mode.unilateral && mode.a[0] > small_acceleration();
    mode.slow = false;
    if (mode.slips) continue;
    const std::array<double, 2> across =
        mode.unilateral ? std::array{mode.a[1], mode.a[2]} : std::array{mode.a[0], 0.0};
    const double size = std::hypot(across[0], across[1]);
    mode.starts = mode.slow = size > small_acceleration();
    if (mode.starts) mode.slip = {across[0] / size, across[1] / size};
  }
}

// Slips that gain speed and have little of it so far.
void LagrangeLawsStepper::name_slow_slips() {
  constexpr double kSteps = 20;  // of the acceleration: faster slips keep their direction over a step
  for (const LawBlock& block : laws_.rows().blocks) {
    Mode* mode = block.kind == LawKind::contact ? mode_of(block.key) : nullptr;
    if (!mode || !mode->slips) continue;
    double gain = 0, size = 0, speed = 0;
    for (int i = 1; i < block.size; ++i) {
      const LawRow& row = laws_.rows().rows[static_cast<std::size_t>(block.first + i)];
      const double a = times(block, row, dynamics_.vdot) + row.c;
      gain += a * row.speed;
      size += a * a;
      speed += row.speed * row.speed;
    }
    mode->slow = gain > 0 && speed < kSteps * kSteps * settings_.step * settings_.step * size;
  }
}

// A part of a step, of h or up to the first event. Returns its length.
double LagrangeLawsStepper::advance(double h, bool cut, State& state) {
  begin_ = state;
  sunk_ = 0;
  sunk_ = std::min(0.0, crossing(state));
  crossing_at_begin_ = crossing(state);
  dynamics_.kinematics().update(*model_, state);
  integrate(h, state);
  if (!report_.ok()) return h;
  if (cut && inconsistent_) return locate_onset(h, state);
  const double beyond = crossing(state);
  if (cut && beyond < 0) return locate(h, beyond, state);
  if (cut && onset(state)) return locate_onset(h, state);
  if (!cut) onset(state);
  return h;
}

// From the beginning of the part again.
void LagrangeLawsStepper::retry(double h, State& state) {
  state = begin_;
  factored_ = false;
  inconsistent_ = false;
  integrate(h, state);
}

// Positive before the first of: a gap closes that was open, a slip comes to its end.
double LagrangeLawsStepper::crossing(const State& state) {
  dynamics_.kinematics().update(*model_, state);
  laws_.find(dynamics_.kinematics());
  double first = 1;
  for (const LawBlock& block : laws_.rows().blocks) {
    if (block.kind == LawKind::soft) continue;
    const LawRow* rows = laws_.rows().rows.data() + block.first;
    const Mode* mode = mode_of(block.key);
    if (!mode) {
      if (!is_unilateral(block)) continue;
      first = std::min(first, block.gap - sunk_);
    } else if (mode->slips && mode->unilateral) {
      double kept = 0;
      for (int i = 1; i < block.size; ++i) kept += rows[i].speed * mode->slip[static_cast<std::size_t>(i - 1)];
      first = std::min(first, kept);
    } else if (mode->slips) {
      first = std::min(first, (rows[0].speed - rows[0].phi) * mode->slip[0]);
    }
  }
  return first;
}

// The crossing between 0 and h, where its value is `beyond` < 0, by regula falsi (Illinois); by halves while the beginning itself is
// too near to zero to draw a line from: a contact that has just opened. The state ends just past it.
double LagrangeLawsStepper::locate(double h, double beyond, State& state) {
  constexpr double kSure = 1e-9;
  constexpr int kTries = 100;
  double low = 0, low_weight = crossing_at_begin_, high = h, high_value = beyond, high_weight = beyond, last = h;
  for (int tries = 0; tries < kTries && -high_value > kLocated && high - low > 1e-15 * (h + begin_.time); ++tries) {
    double next = 0.5 * (low + high);
    if (low_weight > kSure) {
      const double edge = 1e-6 * (high - low);
      next = std::clamp(high - high_weight * (high - low) / (high_weight - low_weight), low + edge, high - edge);
    }
    retry(next, state);
    const bool again = last == high;  // the same end has moved twice
    last = next;
    if (!report_.ok()) return next;
    const double value = crossing(state);
    if (value < 0) {
      if (again) low_weight *= 0.5;
      high = next;
      high_value = high_weight = value;
    } else {
      if (!again) high_weight *= 0.5;
      low = next;
      low_weight = value;
    }
  }
  if (last != high) retry(high, state);
  onset(state);
  return high;
}

double LagrangeLawsStepper::locate_onset(double h, State& state) {
  double low = 0, high = h, last = h;
  for (int k = 0; k < kOnsetHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    retry(middle, state);
    last = middle;
    if (!report_.ok()) return middle;
    const bool happened = inconsistent_ || crossing(state) < 0 || onset(state);
    (happened ? high : low) = middle;
  }
  if (last != high) {
    retry(high, state);
    onset(state);
  }
  return high;
}

// Whether at the end of a part something that stuck slips, or something that touched opens. Leaves the forces there to be reported.
bool LagrangeLawsStepper::onset(const State& state) {
  factored_ = false;
  inconsistent_ = false;
  if (!report_.ok() || !accelerate(state)) return false;
  report_contacts();
  return inconsistent_ || std::any_of(modes_.begin(), modes_.end(), [&](const Mode& mode) {
           if (mode.unilateral && !mode.leaves && mode.a[0] > small_acceleration()) return true;
           if (mode.slips || mode.starts) return false;
           const double across = mode.unilateral ? std::hypot(mode.a[1], mode.a[2]) : std::abs(mode.a[0]);
           return across > small_acceleration();
         });
}

}  // namespace catena
