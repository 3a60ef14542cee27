#include "catena/model/tuning.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "catena/model/model.h"

namespace catena {

// Name, meaning and place of a field of `t`.
#define CATENA_TUNING(field, meaning) \
  TuningEntry { #field, meaning, &t.field }

std::vector<TuningEntry> entries(PartTuning& t) {
  return {
      CATENA_TUNING(touching, "m or rad: a gap below this is none"),
      CATENA_TUNING(shortest_part, "of a step: shorter rests are rounding"),
      CATENA_TUNING(reach, "laws farther than so many times what the fastest motion closes in the step are left out"),
      CATENA_TUNING(deep_overlap, "m or rad: deeper overlaps are no error of a step but of the scene"),
      CATENA_TUNING(push_out, "m/s or rad/s: overlaps are pushed out, and deep ones moved apart, no faster"),
      CATENA_TUNING(impact_rows, "impacts of more rows are swept (lagrange and impulse)"),
      CATENA_TUNING(impact_sweeps, "of such impacts at least"),
      CATENA_TUNING(impact_visits, "of contacts in such sweeps"),
  };
}

std::vector<TuningEntry> entries(JointTuning& t) {
  return {
      CATENA_TUNING(closed, "of the mechanism's size, or rad: what projection must reach in maximal coordinates"),
      CATENA_TUNING(most_projections, "to get there"),
      CATENA_TUNING(closed_ahead, "of the size, or rad: the same inside a step"),
      CATENA_TUNING(most_projections_ahead, "to get there"),
      CATENA_TUNING(loops_closed, "of the size, or rad: what loops are closed to in joint coordinates"),
      CATENA_TUNING(loops_open, "of the size, or rad: what they are given up above"),
      CATENA_TUNING(most_loop_projections, "to get there"),
      CATENA_TUNING(slow, "of the gap: a correction of loops that leaves more is followed by a factorisation"),
      CATENA_TUNING(loop_velocity_corrections, "of the rates, after loops are closed"),
  };
}

std::vector<TuningEntry> entries(VelocityTuning& t) {
  return {
      CATENA_TUNING(most_cuts, "of one step; what is left of it then goes to its end"),
      CATENA_TUNING(least_cuts, "of one step; what is left of it then goes to its end"),
      CATENA_TUNING(cut_rows,
                    "rows solved for in the parts of one step: many laws leave fewer cuts (`contacts: auto`)"),
      CATENA_TUNING(most_tries, "to find the time of a meeting"),
      CATENA_TUNING(far_limit,
                    "rad or m: limits of joints with a wider gap, and than is closed in four steps, are left out"),
      CATENA_TUNING(no_gap, "m or rad: gaps and overlaps less than this are rounding"),
      CATENA_TUNING(easy,
                    "compliance over that without joints: stiffer normals are not followed from the start of the step"),
      CATENA_TUNING(bend_error, "of the bend: approach speeds below are errors of the last step rather than a meeting"),
      CATENA_TUNING(no_work, "of weight times size: work of contacts below it is rounding"),
      CATENA_TUNING(spin_tolerance,
                    "rad/s: gyroscopic changes below it by contacts in a step are not solved for again"),
      CATENA_TUNING(no_slip, "m/s: slower slips are none"),
      CATENA_TUNING(slip_turn,
                    "rad: friction that is off the direction of the mean slip by less is not solved for again"),
      CATENA_TUNING(exact_rows, "`contacts: auto` sweeps problems of more rows"),
      CATENA_TUNING(improve_rounds, "in which an answer that is not exact is refined"),
      CATENA_TUNING(contradiction_rounds,
                    "in which it is found what the rows of such an answer contradict each other by"),
      CATENA_TUNING(reuse, "of the tolerance: last step's impulses that are this good are the answer"),
      CATENA_TUNING(first_sweeps, "over last step's impulses, before the exact solvers"),
      CATENA_TUNING(most_sweeps, "swept: by how many visits of a contact a step may take"),
      CATENA_TUNING(least_sweeps, "swept: by how many visits of a contact a step may take"),
      CATENA_TUNING(most_visits, "of contacts in the sweeps of a step"),
      CATENA_TUNING(swept_tolerance, "natural-map residual"),
      CATENA_TUNING(newton_soft, "of the matrix: σ on the diagonal that Newton's method begins with"),
      CATENA_TUNING(approach_steps, "proximal steps where Newton's method does not find the forces of contacts"),
      CATENA_TUNING(patient_steps, "the same once more, where these do not find them"),
      CATENA_TUNING(approach_soft, "of the matrix: the proximal term they begin with"),
      CATENA_TUNING(patient_soft, "of the matrix: the proximal term those begin with"),
      CATENA_TUNING(approach_shrink, "what it is multiplied by at each step"),
      CATENA_TUNING(patient_shrink, "what it is multiplied by at each of them"),
      CATENA_TUNING(settle_steps,
                    "steps with the least σ from an answer of Newton's method that is acceptable, not exact"),
      CATENA_TUNING(convex_soft,
                    "of the matrix: compliance of the convex problem that is solved where neither finds an answer"),
      CATENA_TUNING(convex_tolerance, "of the velocities without forces: those the convex problem is solved to"),
      CATENA_TUNING(convex_steps, "steps of Newton's method for the convex problem"),
      CATENA_TUNING(patient_rows, "larger problems (`contacts: auto`) get few of Newton's steps, then proximal ones"),
      CATENA_TUNING(bounded_newton, "Newton's steps they get first"),
      CATENA_TUNING(proximal_steps, "most proximal steps, which hold on to last step's impulses"),
      CATENA_TUNING(proximal_soft, "how strongly: sigma, of the mean of A's diagonal"),
      CATENA_TUNING(proximal_aim, "natural-map residual at which they end,"),
      CATENA_TUNING(proximal_residual, "and up to which their answer is taken, and reported"),
      CATENA_TUNING(eased, "of the mean of A's diagonal: compliance to begin with where exact answers are asked for"),
      CATENA_TUNING(continued_shrink, "what that is multiplied by at a time as it is let go (continuation)"),
      CATENA_TUNING(continued_slowest, "where the answer is lost, by the root of the last factor, up to this one"),
      CATENA_TUNING(continued_growth, "a compliance with which there is no answer is made larger by this"),
      CATENA_TUNING(continued_softest, "of the mean of A's diagonal, but not beyond this"),
      CATENA_TUNING(continued_steps, "most steps in which it is let go"),
      CATENA_TUNING(eased_residual, "natural-map residual up to which its answer is taken, and reported"),
      CATENA_TUNING(slop, "m: overlap that sweeps leave alone; correcting less would feed their residual back"),
      CATENA_TUNING(relaxation,
                    "steps in which overlaps are pushed out, and joints that are not projected close: SPOOK's tau / h"),
      CATENA_TUNING(overlap, "m or rad: less deep ones are left alone (exact)"),
      CATENA_TUNING(swept_overlap, "the same where contacts are swept"),
      CATENA_TUNING(overlap_rounds, "normals turn as bodies do"),
      CATENA_TUNING(overlap_soft,
                    "of a row's compliance without joints: what overlaps give way by where they contradict each other"),
      CATENA_TUNING(no_energy, "of weight times size: energy below it is rounding"),
      CATENA_TUNING(most_halvings, "of a step whose joints cannot be closed, or that gains energy"),
      CATENA_TUNING(closing_gain,
                    "of weight times size: a step is halved when closing its joints would give more energy"),
      CATENA_TUNING(motion_gain,
                    "of weight times size and kinetic energy: a step is halved when integrating the motion would "
                    "change it by more"),
      CATENA_TUNING(mass_ratio,
                    "of jointed bodies: beyond it joint forces' stiffness is taken implicitly (maximal coordinates)"),
      CATENA_TUNING(most_shortenings,
                    "of a step that no scheme can take without gaining energy; then nothing moves in it"),
      CATENA_TUNING(softest_spring,
                    "springs without damper that add less than this part of the inertia they move stay explicit"),
  };
}

std::vector<TuningEntry> entries(LagrangeTuning& t) {
  return {
      CATENA_TUNING(most_halvings,
                    "times a part of a step is halved whose joints cannot be closed, or that gains energy"),
      CATENA_TUNING(motion_gain,
                    "of weight times size and kinetic energy: a step by rk4 is halved when it would gain more"),
      CATENA_TUNING(most_evaluations, "of the forces in one step: one that needs more is left to the implicit scheme"),
      CATENA_TUNING(most_rows, "of contacts, limits and friction solved for in one step: the same"),
      CATENA_TUNING(step_error, "of the tolerance: the error a step by the adaptive integrator may make"),
      CATENA_TUNING(most_events, "of one step; what is left of it then goes to its end"),
      CATENA_TUNING(most_shocks, "in a row, where friction leaves no force that obeys the laws"),
      CATENA_TUNING(slowest_impact, "m/s or rad/s: slower meetings need no impulse"),
      CATENA_TUNING(located, "m, rad, m/s or rad/s: an event is located to this, or to rounding of the time"),
      CATENA_TUNING(sure, "an event nearer than this at its beginning is located by halving"),
      CATENA_TUNING(most_tries, "to locate an event"),
      CATENA_TUNING(onset_halvings, "of the step: beginnings of slip and openings leave the accelerations continuous"),
      CATENA_TUNING(still, "m/s or rad/s: slower is at rest"),
      CATENA_TUNING(still_force, "m/s^2 or rad/s^2: smaller accelerations of a law are none"),
      CATENA_TUNING(still_share, "and those below this part of the largest one"),
      CATENA_TUNING(slow_slip, "steps: how much later the friction of slow slips looks"),
      CATENA_TUNING(fast_slip, "steps of its acceleration: faster slips keep their direction over a step"),
      CATENA_TUNING(brief_slip, "the same: slower slips that lose speed end within a small part of a step"),
      CATENA_TUNING(turned, "cosine between a slip and its first direction, below which it has turned"),
      CATENA_TUNING(consistent, "natural-map residual above which forces do not obey the laws"),
      CATENA_TUNING(even, "of the compliance without joints: shares a load evenly among contacts"),
  };
}

std::vector<TuningEntry> entries(ImpulseTuning& t) {
  return {
      CATENA_TUNING(rough, "relative accuracy of solves that iterate, in a step"),
      CATENA_TUNING(fine, "the same for reading and for impacts"),
      CATENA_TUNING(idle, "of the tolerance: gaps below need no impulse"),
      CATENA_TUNING(patience,
                    "solves for positions; then joints turn too far for impulses along their directions at the start"),
      CATENA_TUNING(plain_solves, "before mixing starts"),
      CATENA_TUNING(few_solves,
                    "after more, changes of motion much larger than the first are not taken for a solution"),
      CATENA_TUNING(near, "times the first change: that is much larger"),
      CATENA_TUNING(first_judgement, "solves before convergence is judged"),
      CATENA_TUNING(lost, "times the first gap: it will not come back"),
      CATENA_TUNING(dependent, "of the tolerance: gap allowed where rows depend on each other"),
      CATENA_TUNING(nearly_closed, "of the size: tolerances below it leave joints so closed that dependent rows show"),
      CATENA_TUNING(most_at_end, "solves with the directions at the end of the step"),
      CATENA_TUNING(most_at_end_with_laws, "the same with contacts"),
      CATENA_TUNING(growth, "of a gap from one such solve to the next"),
      CATENA_TUNING(shrinks, "what is left of a gap, or of a move, after an iteration that converges"),
      CATENA_TUNING(fast_top, "rad a step: faster bodies with two equal moments are turned by the closed form"),
      CATENA_TUNING(most_velocity_solves, "of the velocity correction"),
      CATENA_TUNING(most_halvings, "of a part whose joints cannot be closed"),
      CATENA_TUNING(most_tries, "to find the time of a meeting"),
      CATENA_TUNING(most_cuts, "where bodies meet within one step; what is left of it then goes to its end"),
      CATENA_TUNING(most_solves, "of contacts and other laws in one step,"),
      CATENA_TUNING(most_rows, "and rows of them: a step that needs more of both is left to the implicit scheme"),
      CATENA_TUNING(long_searches, "for exact answers of few rows in one step, where the quick way finds none"),
      CATENA_TUNING(most_rounds, "of laws and joints in turn"),
      CATENA_TUNING(settled, "of the position tolerance: impulses that change the motion in a part by less are good"),
      CATENA_TUNING(indeterminate, "the same where contacts leave open which of them carries how much"),
      CATENA_TUNING(enough, "of the last change: what comes after it is corrected anyway"),
      CATENA_TUNING(nearly_exact, "natural-map residual: smaller ones may be of rows that contradict each other"),
      CATENA_TUNING(fall, "steps of gravity: the least speed that gaps may close with"),
  };
}

std::vector<TuningEntry> entries(StabilityTuning& t) {
  return {
      CATENA_TUNING(stiff,
                    "stiffness ratio w (h d + h^2 k) beyond which springs, dampers and servos are taken implicitly"),
      CATENA_TUNING(most_gain,
                    "of weight times size and kinetic energy: a step of the impulse method that ends above the energy "
                    "there was by more is not taken"),
      CATENA_TUNING(most_swing,
                    "the same of the energy before the step: more than that is no swing about the motion's"),
  };
}

std::vector<TuningEntry> entries(SleepTuning& t) {
  return {
      CATENA_TUNING(still_speed, "m/s: bodies no point of which moves faster, by their radius of gyration, keep still"),
      CATENA_TUNING(still_time, "s: an island that has kept still for so long falls asleep"),
      CATENA_TUNING(near, "m: bodies that are not farther apart fall asleep and wake together"),
      CATENA_TUNING(load_bits, "binary places of what pushes a body that sleeps: it is woken where these change"),
  };
}

#undef CATENA_TUNING

double TuningEntry::value() const {
  return std::visit([](const auto* kept) { return static_cast<double>(*kept); }, number);
}

std::vector<TuningPart> parts(Tuning& tuning) {
  return {{"parts", entries(tuning.parts)},       {"joints", entries(tuning.joints)},
          {"velocity", entries(tuning.velocity)}, {"lagrange", entries(tuning.lagrange)},
          {"impulse", entries(tuning.impulse)},   {"stability", entries(tuning.stability)},
          {"sleep", entries(tuning.sleep)}};
}

namespace {

std::string put(TuningEntry& entry, const std::string& name, double value) {
  if (!std::isfinite(value) || value < 0) return fmt::format("{}: {} must be finite and not negative", name, value);
  if (double* const* real = std::get_if<double*>(&entry.number); real != nullptr) {
    **real = value;
    return {};
  }
  if (value != std::floor(value) || value > std::numeric_limits<int>::max())
    return fmt::format("{}: {} must be a whole number", name, value);
  *std::get<int*>(entry.number) = static_cast<int>(value);
  return {};
}

}  // namespace

std::string set_tuning(Tuning& tuning, std::string_view name, double value) {
  std::vector<std::string> known;
  for (TuningPart& part : parts(tuning))
    for (TuningEntry& entry : part.entries) {
      known.push_back(part.name + "." + entry.name);
      if (known.back() == name) return put(entry, known.back(), value);
    }
  const std::string near = nearest(name, known);
  return fmt::format("there is no tuning '{}'{}; `catena explain SCENE --tuning` lists what there is", name,
                     near.empty() ? "" : fmt::format(", did you mean '{}'?", near));
}

std::vector<std::pair<std::string, double>> changes(const Tuning& tuning) {
  Tuning mine = tuning, usual;
  const std::vector<TuningPart> now = parts(mine), before = parts(usual);
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t i = 0; i < now.size(); ++i)
    for (std::size_t k = 0; k < now[i].entries.size(); ++k)
      if (const double value = now[i].entries[k].value(); value != before[i].entries[k].value())
        out.emplace_back(now[i].name + "." + now[i].entries[k].name, value);
  return out;
}

}  // namespace catena
