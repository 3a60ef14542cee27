#include "catena/step/tuning.h"

namespace catena {

std::vector<TuningEntry> entries(const VelocityTuning& t) {
  return {
      {"most_cuts", "of one step; what is left of it then goes to its end", static_cast<double>(t.most_cuts)},
      {"least_cuts", "of one step; what is left of it then goes to its end", static_cast<double>(t.least_cuts)},
      {"cut_rows", "rows solved for in the parts of one step: many laws leave fewer cuts (`contacts: auto`)",
       static_cast<double>(t.cut_rows)},
      {"most_tries", "to find the time of a meeting", static_cast<double>(t.most_tries)},
      {"touching", "m or rad: a gap below this is none", static_cast<double>(t.touching)},
      {"shortest_part", "of a step: shorter rests are rounding", static_cast<double>(t.shortest_part)},
      {"reach", "laws farther than so many times what the fastest motion closes in the step are left out",
       static_cast<double>(t.reach)},
      {"no_gap", "m or rad: gaps and overlaps less than this are rounding", static_cast<double>(t.no_gap)},
      {"easy", "compliance over that without joints: stiffer normals are not followed from the start of the step",
       static_cast<double>(t.easy)},
      {"bend_error", "of the bend: approach speeds below are errors of the last step rather than a meeting",
       static_cast<double>(t.bend_error)},
      {"no_work", "of weight times size: work of contacts below it is rounding", static_cast<double>(t.no_work)},
      {"spin_tolerance", "rad/s: gyroscopic changes below it by contacts in a step are not solved for again",
       static_cast<double>(t.spin_tolerance)},
      {"no_slip", "m/s: slower slips are none", t.no_slip},
      {"slip_turn", "rad: friction that is off the direction of the mean slip by less is not solved for again",
       t.slip_turn},
      {"exact_rows", "`contacts: auto` sweeps problems of more rows", static_cast<double>(t.exact_rows)},
      {"reuse", "of the tolerance: last step's impulses that are this good are the answer",
       static_cast<double>(t.reuse)},
      {"first_sweeps", "over last step's impulses, before the exact solvers", static_cast<double>(t.first_sweeps)},
      {"most_sweeps", "swept: by how many visits of a contact a step may take", static_cast<double>(t.most_sweeps)},
      {"least_sweeps", "swept: by how many visits of a contact a step may take", static_cast<double>(t.least_sweeps)},
      {"most_visits", "of contacts in the sweeps of a step", static_cast<double>(t.most_visits)},
      {"swept_tolerance", "natural-map residual", static_cast<double>(t.swept_tolerance)},
      {"approach_steps", "proximal steps where Newton's method does not find the forces of contacts",
       static_cast<double>(t.approach_steps)},
      {"approach_soft", "of the matrix: the proximal term they begin with", t.approach_soft},
      {"approach_shrink", "what it is multiplied by at each step", t.approach_shrink},
      {"patient_steps", "the same once more, where these do not find them", static_cast<double>(t.patient_steps)},
      {"patient_soft", "of the matrix: the proximal term those begin with", t.patient_soft},
      {"patient_shrink", "what it is multiplied by at each of them", t.patient_shrink},
      {"patient_rows", "larger problems that Newton's method does not solve are eased (`contacts: auto`)",
       static_cast<double>(t.patient_rows)},
      {"eased", "of the mean of A's diagonal: the compliance they get", t.eased},
      {"eased_sweeps", "over a problem that was eased and still not solved", static_cast<double>(t.eased_sweeps)},
      {"eased_residual", "natural-map residual up to which its answer is taken, and reported", t.eased_residual},
      {"slop", "m: overlap that sweeps leave alone; correcting less would feed their residual back",
       static_cast<double>(t.slop)},
      {"relaxation", "steps in which overlaps are pushed out, and joints that are not projected close: SPOOK's tau / h",
       static_cast<double>(t.relaxation)},
      {"push_out", "m/s or rad/s: overlaps are pushed out, and deep ones moved apart, no faster",
       static_cast<double>(t.push_out)},
      {"overlap", "m or rad: less deep ones are left alone (exact)", static_cast<double>(t.overlap)},
      {"swept_overlap", "the same where contacts are swept", static_cast<double>(t.swept_overlap)},
      {"deep_overlap",
       "m or rad: deeper ones are no error of a step but of the scene, and moved apart whatever energy that takes",
       static_cast<double>(t.deep_overlap)},
      {"overlap_rounds", "normals turn as bodies do", static_cast<double>(t.overlap_rounds)},
      {"no_energy", "of weight times size: energy below it is rounding", static_cast<double>(t.no_energy)},
      {"most_halvings", "of a step whose joints cannot be closed, or that gains energy",
       static_cast<double>(t.most_halvings)},
      {"motion_gain",
       "of weight times size and kinetic energy: a step is halved when integrating the motion would change it by more",
       static_cast<double>(t.motion_gain)},
      {"closing_gain", "of weight times size: a step is halved when closing its joints would give more energy",
       static_cast<double>(t.closing_gain)},
      {"mass_ratio", "of jointed bodies: beyond it joint forces' stiffness is taken implicitly (maximal coordinates)",
       static_cast<double>(t.mass_ratio)},
      {"most_shortenings", "of a step that no scheme can take without gaining energy; then nothing moves in it",
       static_cast<double>(t.most_shortenings)},
      {"softest_spring", "springs without damper that add less than this part of the inertia they move stay explicit",
       static_cast<double>(t.softest_spring)},
  };
}

std::vector<TuningEntry> entries(const LagrangeTuning& t) {
  return {{"most_halvings", "times a part of a step is halved whose joints cannot be closed, or that gains energy",
           static_cast<double>(t.most_halvings)},
          {"motion_gain", "of weight times size and kinetic energy: a step by rk4 is halved when it would gain more",
           t.motion_gain},
          {"most_evaluations", "of the forces in one step: one that needs more is left to the implicit scheme",
           static_cast<double>(t.most_evaluations)},
          {"most_rows", "of contacts, limits and friction solved for in one step: the same",
           static_cast<double>(t.most_rows)}};
}

std::vector<TuningEntry> entries(const StabilityTuning& t) {
  return {{"stiff", "stiffness ratio w (h d + h^2 k) beyond which springs, dampers and servos are taken implicitly",
           t.stiff},
          {"most_gain",
           "of weight times size and kinetic energy: a step of the method impulse that ends above the energy there was "
           "by more is not taken",
           t.most_gain}};
}

}  // namespace catena
