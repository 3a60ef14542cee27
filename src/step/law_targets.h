// What a step asks of its laws at velocity level: targets, bounds and Σ (Lacoursière eq. 2 with Σ and Υ of docs/contact.md), for the methods
// spook and operational.
#pragma once

#include <algorithm>
#include <cmath>

#include "catena/laws/law_rows.h"

namespace catena {

// Relaxation of contacts, and of joints that are not projected, in steps: SPOOK's usual two.
inline constexpr double kRelaxation = 2;
// Overlaps are pushed out no faster than this [m/s].
inline constexpr double kPushOut = 1;
// Gaps and overlaps less than this are rounding, and none [m or rad]: else what rests would be a new problem in each step.
inline constexpr double kNoGap = 1e-12;

inline double damping(double relaxation, double h) { return 1 / (1 + 4 * relaxation / h); }  // Υ

struct LawStep {
  double h;               // of this part of a step
  double whole;           // of the step as asked for: a short rest of one pushes no harder than a whole one
  double flight;          // time left from where the gaps were found to where the part ends
  double gravity;         // m/s²
  double slop = 0;        // m or rad: overlaps up to this are left alone
  double bounce = 1e300;  // m/s or rad/s: what meets faster in this part leaves with e times that
};

// What spook asks of a normal. Open: as fast as it takes to touch at the end of the step. Overlapping since before it, by −gap_at_start: out
// again, the faster the deeper.
inline double push_out(const LawStep& s, const LawBlock& block, double speed, double gap_at_start) {
  const double step = std::max(s.h, s.whole);
  const double push = -(4 / step) * damping(kRelaxation * step, step) * (gap_at_start + s.slop);
  const double target = std::abs(block.gap) < kNoGap ? 0
                      : block.gap > 0                ? -block.gap / s.flight
                                                     : std::clamp(push, 0.0, kPushOut);
  const bool bounces = speed < -s.bounce && block.gap + s.flight * speed < 0;
  return bounces ? std::max(target, -block.restitution * speed) : target;
}

// Fills `active` with those of the laws that have a say in the step. `waits(block)`: it will meet fast within the step, which is cut there.
// `normal_target(block, speed)`: what contacts and limits are asked for.
template <class Waits, class NormalTarget>
void set_law_targets(const LawRows& laws, const LawStep& s, const Waits& waits, const NormalTarget& normal_target,
                     LawRows& active) {
  double fastest = 10 * s.h * s.gravity;
  for (const LawRow& row : laws.rows) fastest = std::max(fastest, std::abs(row.speed));
  active.clear();
  std::uint64_t pressed = 0;  // the contact whose turns may follow
  for (const LawBlock& found : laws.blocks) {
    if (found.kind == LawKind::turn && found.parent != pressed) continue;
    // Those too far to touch in this step have no say.
    if (is_unilateral(found) && (found.gap > 4 * fastest * s.flight || waits(found))) continue;
    if (found.kind == LawKind::contact) pressed = found.key;
    LawBlock& block = append(laws, found, active);
    LawRow* rows = active.rows.data() + block.first;
    switch (block.kind) {
      case LawKind::contact:
      case LawKind::limit: rows[0].target = normal_target(block, rows[0].speed); break;
      case LawKind::dry_friction:
      case LawKind::motor:
        rows[0].target = rows[0].phi;
        block.bound = s.h * block.force;
        break;
      case LawKind::turn: break;  // at rest if it can
      case LawKind::soft: {
        const double own = damping(block.relaxation > 0 ? block.relaxation : kRelaxation * s.h, s.h);
        for (int i = 0; i < block.size; ++i) {
          rows[i].sigma = 4 * block.compliance * own / (s.h * s.h);
          rows[i].target = -(4 / s.h) * own * rows[i].phi + own * rows[i].speed;
        }
        break;
      }
    }
  }
}

}  // namespace catena
