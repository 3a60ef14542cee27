// Every number that decides something in a step: its meaning, unit and value. Settings are what a user asks for; these say how it is done.
// `catena explain --tuning` prints them.
#pragma once

#include <string>
#include <vector>

namespace catena {

// The methods spook and operational.
struct VelocityTuning {
  // How a step is cut where bodies meet.
  int most_cuts = 20, least_cuts = 2;  // of one step; what is left of it then goes to its end
  int cut_rows = 600;      // rows solved for in the parts of one step: many laws leave fewer cuts (`contacts: auto`)
  int most_tries = 8;      // to find the time of a meeting
  double touching = 1e-8;  // m or rad: a gap below this is none
  double shortest_part = 1e-9;  // of a step: shorter rests are rounding

  // Which laws are active, and their targets.
  double reach = 4;       // laws farther than so many times what the fastest motion closes in the step are left out
  double no_gap = 1e-12;  // m or rad: gaps and overlaps less than this are rounding
  double easy =
      1e-3;  // compliance over that without joints: stiffer normals are not followed from the start of the step
  double bend_error = 0.1;       // of the bend: approach speeds below are errors of the last step rather than a meeting
  double no_work = 1e-13;        // of weight times size: work of contacts below it is rounding
  double spin_tolerance = 1e-8;  // rad/s: gyroscopic changes below it by contacts in a step are not solved for again

  double no_slip = 1e-9;    // m/s: slower slips are none
  double slip_turn = 1e-9;  // rad: friction that is off the direction of the mean slip by less is not solved for again

  // Contacts solved exactly, or swept.
  int exact_rows = 150;                      // `contacts: auto` sweeps problems of more rows
  double reuse = 1e-2;                       // of the tolerance: last step's impulses that are this good are the answer
  int first_sweeps = 20;                     // over last step's impulses, before the exact solvers
  int most_sweeps = 500, least_sweeps = 50;  // swept: by how many visits of a contact a step may take
  int most_visits = 100'000;
  double swept_tolerance = 1e-6;  // natural-map residual
  // Proximal steps where Newton's method does not find the answer (solve/state_newton.h), and more of them, begun softer, where these do not:
  int approach_steps = 30, patient_steps = 60;
  double approach_soft = 1e-2, patient_soft = 1e-1;    // σ they begin with, of the matrix
  double approach_shrink = 0.3, patient_shrink = 0.5;  // what it is multiplied by at each step
  int patient_rows = 42;  // larger problems that Newton's method does not solve are eased (`contacts: auto`)
  double eased = 1e-6;    // of the mean of A's diagonal: the compliance they get
  int eased_sweeps = 300;
  double eased_residual = 1e-3;  // natural-map residual up to which the answer is taken, and reported
  double slop = 1e-4;            // m: overlap that sweeps leave alone; correcting less would feed their residual back
  double relaxation =
      2;                // steps in which overlaps are pushed out, and joints that are not projected close: SPOOK's τ/h
  double push_out = 1;  // m/s or rad/s: overlaps are pushed out, and deep ones moved apart, no faster

  // Overlaps moved apart after the step.
  double overlap = 1e-6;        // m or rad: less deep ones are left alone (exact)
  double swept_overlap = 5e-4;  // the same where contacts are swept
  double deep_overlap =
      1e-4;  // m or rad: deeper ones are no error of a step but of the scene, and moved apart whatever energy that takes
  int overlap_rounds = 4;    // normals turn as bodies do
  double no_energy = 1e-10;  // of weight times size: energy below it is rounding

  // Joints.
  int most_halvings = 6;       // of a step whose joints cannot be closed, or that gains energy
  double closing_gain = 1e-3;  // of weight times size: a step is halved when closing its joints would give more energy
  double motion_gain = 1e-6;   // the same when the integration of the motion itself would give more
  double mass_ratio =
      1e3;  // of jointed bodies: beyond it joint forces' stiffness is taken implicitly (geometric_stiffness.h)
  int most_shortenings = 12;  // of a step that no scheme can take without gaining energy; then nothing moves in it
  double softest_spring =
      1e-2;  // springs without damper that add less than this part of the inertia they move stay explicit
};

// The energy guard of the method lagrange.
struct LagrangeTuning {
  int most_halvings = 8;  // times a part of a step is halved whose joints cannot be closed, or that gains energy
  double motion_gain =
      1e-6;  // of weight times size and kinetic energy: a step by rk4 is halved when it would gain more, a part of one by its share
  int most_evaluations = 1200;  // of the forces in one step: one that needs more is left to the implicit scheme
  int most_rows = 6000;         // of contacts, limits and friction solved for in one step: the same
};

// When a method gives a step to the implicit scheme (stepper.h), whatever the method.
struct StabilityTuning {
  double stiff = 0.5;  // stiffness ratio (stiffness.h) beyond which springs, dampers and servos are taken implicitly
  // Of weight times size and kinetic energy: a step of the method impulse after which there is more energy than at the start and by the work put in is not taken. Its
  // energy swings about that of the motion; the other methods compare every part of a step, with their own bounds.
  double most_gain = 1e-3;
};

// One of those numbers, to be printed.
struct TuningEntry {
  std::string name, meaning;
  double value = 0;
};
std::vector<TuningEntry> entries(const VelocityTuning& tuning);
std::vector<TuningEntry> entries(const LagrangeTuning& tuning);
std::vector<TuningEntry> entries(const StabilityTuning& tuning);

}  // namespace catena
