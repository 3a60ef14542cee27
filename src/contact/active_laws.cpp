#include "catena/contact/active_laws.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace catena {
namespace {

double damping(double relaxation, double h) { return 1 / (1 + 4 * relaxation / h); }  // SPOOK's Υ

bool only_takes(LawKind kind) { return kind != LawKind::motor && kind != LawKind::soft && kind != LawKind::inertia; }

const LawRow& first_row(const LawRows& laws, const LawBlock& block) {
  return laws.rows[static_cast<std::size_t>(block.first)];
}

}  // namespace

void ActiveLaws::note_starts(const Laws& laws) {
  starts_.clear();
  const LawRows& found = laws.rows();
  for (const LawBlock& block : found.blocks) {
    if (!is_unilateral(block)) continue;
    Start start{block.key, block.gap, first_row(found, block).speed, {}, true};
    for (int i = 1; i < block.size; ++i)
      start.slip += found.rows[static_cast<std::size_t>(block.first + i)].speed *
                    laws.tangents(block)[static_cast<std::size_t>(i - 1)];
    starts_.push_back(start);
  }
  std::sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) { return a.key < b.key; });
}

// As it was found there, if the same features touch and the gap has changed with the mean of the speeds. Else, or if it is not to be
// `followed` from there, extrapolated back from the middle with the speed it has there.
ActiveLaws::Start ActiveLaws::at_start(const LawBlock& block, double speed, const PartOfStep& part,
                                       bool followed) const {
  if (!part.middle) return {block.key, block.gap, speed, {}, false};
  const auto at = std::lower_bound(starts_.begin(), starts_.end(), block.key,
                                   [](const Start& start, std::uint64_t key) { return start.key < key; });
  if (followed && at != starts_.end() && at->key == block.key) {
    const double bend = part.h / 4 * (speed - at->speed);
    if (std::abs(block.gap - at->gap - part.h / 2 * at->speed - bend) <= 0.1 * std::abs(bend) + tuning_.no_gap)
      return *at;
  }
  return {block.key, block.gap - part.h / 2 * speed, speed, {}, false};
}

// Open at the start of the part, and coming together faster than the threshold.
bool ActiveLaws::will_meet(const LawRows& found, const LawBlock& block, const PartOfStep& part) const {
  const Start start = at_start(block, first_row(found, block).speed, part);
  return start.gap > parts_.touching && start.speed < -threshold_;
}

bool ActiveLaws::any_will_meet(const LawRows& found, double h) const {
  return std::any_of(found.blocks.begin(), found.blocks.end(), [&](const LawBlock& block) {
    if (!is_unilateral(block)) return false;
    const double speed = first_row(found, block).speed;
    return block.gap > parts_.touching && speed < -threshold_ && block.gap + h * speed < 0;
  });
}

double ActiveLaws::foreseen_meeting(const LawRows& found, double h, std::uint64_t& pair) const {
  double first = h;
  for (const LawBlock& block : found.blocks) {
    if (!is_unilateral(block)) continue;
    const double speed = first_row(found, block).speed;
    if (!(block.gap > parts_.touching && speed < -threshold_ && block.gap + first * speed < 0)) continue;
    first = -block.gap / speed;
    pair = block.key;
  }
  return first;
}

double ActiveLaws::time_of_meeting(const LawRows& found, const PartOfStep& part, double whole, bool foreseen,
                                   const std::vector<BodyVector>& after, std::uint64_t& pair) const {
  // As good as touching at the end of the part: nothing is gained by one that is longer or shorter by so little.
  const double near = 0.1 * parts_.touching;
  double first = part.h, later = part.h;
  std::uint64_t earliest = 0;
  for (const LawBlock& block : found.blocks) {
    if (!is_unilateral(block) || !will_meet(found, block, part)) continue;
    const LawRow& row = first_row(found, block);
    const Start start = at_start(block, row.speed, part);
    const double end = times(found, block, row, after) + (row.speed - start.speed);
    const double acceleration = (end - start.speed) / part.h;
    const double root = start.speed * start.speed - (part.middle ? 2 : 4) * acceleration * start.gap;
    const bool is_pair = block.key == pair;
    if (root < 0) {
      if (is_pair && foreseen) later = whole;
      continue;
    }
    const double speed = std::sqrt(root), meeting = 2 * start.gap / (-start.speed + speed);
    if (std::abs(part.h - meeting) * speed <= near) continue;
    if (meeting < first) first = meeting, earliest = block.key;
    if (meeting > part.h && is_pair && (meeting < whole || foreseen)) later = std::min(meeting, whole);
  }
  if (earliest == 0) return later;
  pair = earliest;
  return first;
}

double ActiveLaws::time_since_meeting(const LawRows& found, std::uint64_t& pair) const {
  const std::uint64_t wanted = pair;
  double longest = 0;
  for (const LawBlock& block : found.blocks) {
    const double speed = first_row(found, block).speed;
    if (!is_unilateral(block) || !(speed < 0) || (wanted != 0 && block.key != wanted)) continue;
    if (wanted != 0) return std::abs(block.gap) < 0.1 * parts_.touching ? 0 : block.gap / speed;
    if (block.gap >= -tuning_.no_gap || block.gap / speed <= longest) continue;
    longest = block.gap / speed;
    pair = block.key;
  }
  return longest;
}

// The fastest that rows move, with the velocities of the start or those the forces lead to.
void ActiveLaws::find_reach(const LawRows& found, const PartOfStep& part, const Mechanism& mechanism) {
  fastest_ = 0;
  nearby_.assign(part.swept ? mechanism.motion().size() : 0, 0.0);
  for (const LawBlock& block : found.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = found.rows[static_cast<std::size_t>(i)];
      const double speed = std::max(std::abs(row.speed), std::abs(times(found, block, row, mechanism.motion())));
      fastest_ = std::max(fastest_, speed);
      if (!part.swept) continue;
      for (const BodyId body : {block.a, block.b})
        if (body.valid()) nearby_[body] = std::max(nearby_[body], speed);
    }
}

// Too far apart to meet in this part. Of many swept contacts only what is near counts: what is knocked on from farther off overlaps at the
// end of the step at worst, and is moved apart.
bool ActiveLaws::is_out_of_reach(const LawBlock& block, const PartOfStep& part) const {
  if (!is_unilateral(block) || block.gap <= parts_.touching) return false;
  const double flight = part.middle ? part.h / 2 : part.h;
  double fastest = part.swept ? 0 : fastest_;
  if (part.swept)
    for (const BodyId body : {block.a, block.b})
      if (body.valid()) fastest = std::max(fastest, nearby_[body]);
  return block.gap > parts_.reach * fastest * flight;
}

void ActiveLaws::gather(const LawRows& found, const PartOfStep& part, const Mechanism& mechanism) {
  find_reach(found, part, mechanism);
  active_.clear();
  active_.rows.reserve(found.rows.size());
  active_.blocks.reserve(found.blocks.size());
  std::uint64_t pressed = 0;  // the contact whose rolling and torsion may follow
  for (const LawBlock& block : found.blocks) {
    if (block.kind == LawKind::turn && block.turn.parent != pressed) continue;
    if (gives_way(block) && block.gap > 0) continue;
    if (is_unilateral(block) && (is_out_of_reach(block, part) || (part.cut && will_meet(found, block, part)))) continue;
    if (block.kind == LawKind::contact) pressed = block.key;
    set_bounds(part, append(found, block, active_));
  }
}

void ActiveLaws::set_bounds(const PartOfStep& part, LawBlock& block) {
  LawRow* rows = active_.rows.data() + block.first;
  if (block.kind == LawKind::dry_friction || block.kind == LawKind::motor) {
    rows[0].target = rows[0].phi;
    block.bound = part.h * block.force;
  }
  for (int i = 1; i < block.size && block.across.creep > 0; ++i) rows[i].sigma = creep_sigma(block, part.h);
  const bool pushes = gives_way(block);
  if (block.kind != LawKind::soft && !pushes) return;
  const double h = part.h;
  const double upsilon = damping(block.spring.relaxation > 0 ? block.spring.relaxation : tuning_.relaxation * h, h);
  for (int i = 0; i < (pushes ? 1 : block.size); ++i) {
    const double phi = pushes ? block.gap : rows[i].phi;
    rows[i].sigma = 4 * block.spring.compliance * upsilon / (h * h);
    rows[i].target = -(4 / h) * upsilon * phi + upsilon * rows[i].speed;
  }
}

void ActiveLaws::set_normal_targets(const PartOfStep& part, const Mechanism& mechanism) {
  for (const LawBlock& block : active_.blocks) {
    if (!is_unilateral(block)) continue;
    LawRow& normal = active_.rows[static_cast<std::size_t>(block.first)];
    normal.target = part.swept ? swept_target(block, normal.speed, part)
                               : exact_target(block, normal.speed, part, mechanism.ease(block.first));
  }
}

// Slip at the end is J v⁺ there: what J of the middle says of v⁺, and by how much the two differ, which is as much as at the start. Three points
// of a pair that stick leave it no rotation, and nothing to correct: what is left of it would only be at odds between them.
void ActiveLaws::set_slip_targets(const Laws& laws, const PartOfStep& part) {
  if (!part.middle || part.swept) return;
  const auto touches_thrice = [&](const LawBlock& block) {
    const auto same = [&](const LawBlock& other) {
      return other.kind == LawKind::contact && other.a == block.a && other.b == block.b;
    };
    return std::count_if(active_.blocks.begin(), active_.blocks.end(), same) > 2;
  };
  for (const LawBlock& block : active_.blocks) {
    if (block.kind != LawKind::contact || block.size == 1 || touches_thrice(block)) continue;
    const Start start = at_start(block, first_row(active_, block).speed, part);
    if (!start.recorded) continue;
    for (int i = 1; i < block.size; ++i) {
      LawRow& row = active_.rows[static_cast<std::size_t>(block.first + i)];
      const double target = dot(start.slip, laws.tangents(block)[static_cast<std::size_t>(i - 1)]) - row.speed;
      row.target = std::abs(target) > tuning_.no_slip ? target : 0;
    }
  }
}

// Rows are evaluated at the middle, where their speeds differ from those at the ends by `bend`, the same at both. If the approach is far
// below the bend it is last step's error, not a meeting, and turned about: else what rolls or swings along something would sink into it.
// Where next to nothing can move along a normal, a chain being stretched or folded so, it turns too fast to be followed from the start.
double ActiveLaws::exact_target(const LawBlock& block, double speed, const PartOfStep& part, double ease) const {
  const Start start = at_start(block, speed, part, ease > tuning_.easy);
  const double bend = speed - start.speed;
  const double closing = part.middle ? -2 * start.gap / part.h - start.speed : -start.gap / part.h;
  const double end = std::min(closing, -start.speed);
  const bool error = std::abs(start.speed) <= tuning_.bend_error * std::abs(bend);
  const double target = (error ? end : std::min(end, 0.0)) - bend;
  // What meets fast in a part that is not cut any more leaves with e times its speed.
  const bool bounces = !part.cut && start.speed < -threshold_ && start.gap + part.h * start.speed < 0;
  return bounces ? std::max(target, -block.restitution * start.speed - bend) : target;
}

double ActiveLaws::swept_target(const LawBlock& block, double speed, const PartOfStep& part) const {
  const double flight = part.middle ? part.h / 2 : part.h, step = std::max(part.h, part.whole);
  const double gap_at_start = block.gap - (part.middle ? part.h / 2 * speed : 0);
  const double push = -(4 / step) * damping(tuning_.relaxation * step, step) * (gap_at_start + tuning_.slop);
  const double target = std::abs(block.gap) < tuning_.no_gap ? 0
                      : block.gap > 0                        ? -block.gap / flight
                      : pushes_                              ? std::clamp(push, 0.0, parts_.push_out)
                                                             : 0;
  const bool bounces = speed < -threshold_ && block.gap + flight * speed < 0;
  return bounces ? std::max(target, -block.restitution * speed) : target;
}

void ActiveLaws::aim_at_means() {
  for (const LawBlock& block : active_.blocks) {
    if (!only_takes(block.kind)) continue;
    for (int i = block.kind == LawKind::contact || block.kind == LawKind::limit ? 1 : 0; i < block.size; ++i) {
      LawRow& row = active_.rows[static_cast<std::size_t>(block.first + i)];
      row.target = -row.speed;
    }
  }
}

namespace {

// Along the tangents of a contact, with its rows of the middle.
struct Slips {
  std::array<double, 2> before{}, after{};  // the part
  std::array<double, 2> opposed{};          // what friction is against now: the slip after it, less the target
  double along() const { return before[0] * after[0] + before[1] * after[1]; }
  double across() const { return before[0] * after[1] - before[1] * after[0]; }
};

Slips slips_of(const LawRows& laws, const LawBlock& contact, const std::vector<BodyVector>& after) {
  Slips slips;
  for (int i = 1; i < contact.size; ++i) {
    const LawRow& row = laws.rows[static_cast<std::size_t>(contact.first + i)];
    const auto k = static_cast<std::size_t>(i - 1);
    slips.before[k] = row.speed;
    slips.after[k] = times(laws, contact, row, after);
    slips.opposed[k] = slips.after[k] - row.target;
  }
  return slips;
}

// The angle between what friction is against and the mean slip, as a sine.
double error_of_direction(const Slips& slips) {
  const double x = slips.before[0] + slips.after[0], y = slips.before[1] + slips.after[1];
  const double size = std::hypot(x, y) * std::hypot(slips.opposed[0], slips.opposed[1]);
  return size > 0 ? std::abs(x * slips.opposed[1] - y * slips.opposed[0]) / size : 0;
}

}  // namespace

bool ActiveLaws::aim_at_mean_slips(const std::vector<BodyVector>& after) {
  mean_slips_.clear();
  for (const LawBlock& block : active_.blocks) {
    if (block.kind != LawKind::contact || block.size != 3 || block.across.creep > 0)
      continue;  // creep is that at the end
    const Slips slips = slips_of(active_, block, after);
    // It goes on, the same way but for less than half a right angle.
    const bool goes_on = slips.along() > std::abs(slips.across()) && slips.along() > tuning_.no_slip * tuning_.no_slip;
    if (!goes_on || !(error_of_direction(slips) > tuning_.slip_turn)) continue;
    mean_slips_.push_back({block.first + 1, {}});
    for (int i = 0; i < 2; ++i) {
      LawRow& row = active_.rows[static_cast<std::size_t>(block.first + 1 + i)];
      mean_slips_.back().target[static_cast<std::size_t>(i)] = row.target;
      row.target = -row.speed;
    }
  }
  return !mean_slips_.empty();
}

bool ActiveLaws::release_ended_slips(const std::vector<BodyVector>& after) {
  bool any = false;
  for (const LawBlock& block : active_.blocks) {
    const auto mean = std::find_if(mean_slips_.begin(), mean_slips_.end(),
                                   [&](const MeanSlip& slip) { return slip.row == block.first + 1; });
    if (mean == mean_slips_.end() || slips_of(active_, block, after).along() > 0) continue;
    for (std::size_t i = 0; i < 2; ++i) active_.rows[static_cast<std::size_t>(mean->row) + i].target = mean->target[i];
    any = true;
  }
  return any;
}

double ActiveLaws::work(const solve::Vector& z, int first_row, const std::vector<BodyVector>& after) const {
  double work = 0;
  for (const LawBlock& block : active_.blocks) {
    if (!only_takes(block.kind)) continue;
    for (int i = block.first + (gives_way(block) ? 1 : 0); i < block.first + block.size; ++i) {
      const LawRow& row = active_.rows[static_cast<std::size_t>(i)];
      work += 0.5 * z[first_row + i] * (row.speed + times(active_, block, row, after));
    }
  }
  return work;
}

}  // namespace catena
