// Every number that decides something in a step: its meaning, unit and value. Settings are what a user asks for; these say how it is done.
// Settings::tuning has them; `catena explain --tuning` prints them, and files and flags set them by name:
//   simulate: {tuning: {velocity: {motion_gain: 1e-8}}}          --tune velocity.motion_gain=1e-8
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace catena {

// The parts of a step, contacts and impacts, whatever the method.
struct PartTuning {
  double touching = 1e-8;       // m or rad: a gap below this is none
  double shortest_part = 1e-9;  // of a step: shorter rests are rounding
  double reach = 4;  // laws farther than so many times what the fastest motion closes in the step are left out
  double deep_overlap = 1e-4;   // m or rad: deeper overlaps are no error of a step but of the scene
  double push_out = 1;          // m/s or rad/s: overlaps are pushed out, and deep ones moved apart, no faster
  int impact_rows = 60;         // impacts of more rows are swept (methods lagrange and impulse)
  int impact_sweeps = 200;      // at least so many times
  int impact_visits = 100'000;  // and until so many contacts have been visited
};

// Joints closed after a step, and inside one: of the mechanism's size, or rad.
struct JointTuning {
  double closed = 1e-9;       // what projection must reach, of joints in maximal coordinates
  int most_projections = 30;  // to get there
  // Inside a step: to where contradictions between rows that depend on each other no longer show among the residuals of contacts.
  double closed_ahead = 1e-12;
  int most_projections_ahead = 4;
  double loops_closed = 1e-13;        // what loops are closed to in joint coordinates,
  double loops_open = 1e-9;           // and what they are given up above
  int most_loop_projections = 30;     // to get there
  double slow = 0.1;                  // of the gap: a correction that leaves more has outlived its factorisation
  int loop_velocity_corrections = 2;  // the second, by a factorisation at other positions, leaves what rounding does
};

// The methods spook and operational.
struct VelocityTuning {
  // How a step is cut where bodies meet.
  int most_cuts = 20, least_cuts = 2;  // of one step; what is left of it then goes to its end
  int cut_rows = 600;  // rows solved for in the parts of one step: many laws leave fewer cuts (`contacts: auto`)
  int most_tries = 8;  // to find the time of a meeting

  // Which laws are active, and their targets.
  double far_limit =
      0.1;                // rad or m: limits of joints with a wider gap, and than is closed in four steps, are left out
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
  int improve_rounds = 3;                    // in which an answer that is not exact is refined,
  int contradiction_rounds = 4;              // and in which it is found what its rows contradict each other by
  double reuse = 1e-2;                       // of the tolerance: last step's impulses that are this good are the answer
  int first_sweeps = 20;                     // over last step's impulses, before the exact solvers
  int most_sweeps = 500, least_sweeps = 50;  // swept: by how many visits of a contact a step may take
  int most_visits = 100'000;
  double swept_tolerance = 1e-6;  // natural-map residual
  double newton_soft =
      1e-6;  // σ on the diagonal in Newton's method, of the matrix, to begin with (solve/state_newton.h)
  // Proximal steps where Newton's method does not find the answer (solve/state_newton.h), and more of them, begun softer, where these do not:
  int approach_steps = 30, patient_steps = 60;
  double approach_soft = 1e-2, patient_soft = 1e-1;    // σ they begin with, of the matrix
  double approach_shrink = 0.3, patient_shrink = 0.5;  // what it is multiplied by at each step
  // and from where Newton's method ends at an answer that is acceptable but not exact, with the least σ:
  int settle_steps = 3;
  // A convex problem near by, where neither leads to an answer (solve/convex_newton.h):
  double convex_soft = 1e-3;        // its compliance, of the matrix,
  double convex_tolerance = 1e-6;   // velocities it is solved to, of those without forces,
  int convex_steps = 20;            // and steps
  int patient_rows = 42;            // larger problems (`contacts: auto`) get few of Newton's steps,
  int bounded_newton = 4;           // so many, then
  int proximal_steps = 6;           // at most so many proximal ones that hold on to last step's impulses,
  double proximal_soft = 1e-3;      // by so much: σ, of the mean of A's diagonal,
  double proximal_aim = 1e-5;       // until the natural-map residual, without σ, is this;
  double proximal_residual = 1e-4;  // up to which residual their answer is taken, and reported
  double eased = 1e-6;  // the same of the compliance with which they are solved where an exact answer is asked for,
  // which is let go (continuation) by this factor at a time, or by its square root where the answer is lost on the way, and so on up to the slowest;
  double continued_shrink = 0.1, continued_slowest = 0.8;
  double continued_growth = 100,
         continued_softest = 1e-2;  // and which is larger to begin with where there is no answer
  int continued_steps = 40;
  double eased_residual = 1e-3;  // natural-map residual up to which the answer is taken, and reported
  double slop = 1e-4;            // m: overlap that sweeps leave alone; correcting less would feed their residual back
  double relaxation =
      2;  // steps in which overlaps are pushed out, and joints that are not projected close: SPOOK's τ/h

  // Overlaps moved apart after the step.
  double overlap = 1e-6;        // m or rad: less deep ones are left alone (exact)
  double swept_overlap = 5e-4;  // the same where contacts are swept
  int overlap_rounds = 4;       // normals turn as bodies do
  double overlap_soft = 1e-8;   // of a row's compliance without joints: rows give way by it, so that overlaps that
                                // contradict each other have an answer
  double no_energy = 1e-10;     // of weight times size: energy below it is rounding

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

// The method lagrange.
struct LagrangeTuning {
  // The energy guard.
  int most_halvings = 8;  // times a part of a step is halved whose joints cannot be closed, or that gains energy
  double motion_gain =
      1e-6;  // of weight times size and kinetic energy: a step by rk4 is halved when it would gain more, a part of one by its share
  int most_evaluations = 1200;  // of the forces in one step: one that needs more is left to the implicit scheme
  int most_rows = 6000;         // of contacts, limits and friction solved for in one step: the same
  double step_error = 0.1;      // of the tolerance: the error a step by the adaptive integrator may make

  // Events: a part of a step ends where a law begins or ends to act.
  int most_events = 100;         // of one step; what is left of it then goes to its end
  int most_shocks = 5;           // in a row, where friction leaves no force that obeys the laws (Painlevé)
  double slowest_impact = 1e-8;  // m/s or rad/s: slower meetings need no impulse
  double located = 1e-12;        // m, rad, m/s or rad/s: a crossing is located to this, or to rounding of the time
  double sure = 1e-9;            // a crossing nearer to zero than this at its beginning is located by halving
  int most_tries = 100;          // to locate a crossing
  int onset_halvings = 10;       // of the step: beginnings of slip and openings leave the accelerations continuous

  // The laws at one state.
  double still = 1e-8;        // m/s or rad/s: slower is at rest
  double still_force = 1e-9;  // m/s² or rad/s²: smaller accelerations of a law are none
  double still_share = 1e-7;  // and those below this part of the largest one
  double slow_slip = 0.5;     // steps: how much later the friction of slow slips looks
  double fast_slip = 20;      // steps of its acceleration: faster slips keep their direction over a step
  double brief_slip = 0.02;   // the same: slower slips that lose speed end within a small part of a step
  double turned =
      0.1;  // cosine between a slip and its direction at the beginning of a part, at most; and sine between a slip and what slows it down, at least
  double consistent = 1e-6;  // natural-map residual above which forces do not obey the laws
  double even = 1e-11;       // of the compliance without joints: what shares a load evenly among contacts
};

// The method impulse.
struct ImpulseTuning {
  // Accuracy of solves that iterate, relative: in a step, whose corrections repeat them, and for reading and impacts.
  double rough = 0.1, fine = 1e-10;

  // Position correction.
  double idle = 1e-3;    // of the tolerance: gaps below need no impulse
  int patience = 12;     // solves; then joints turn too far in a step for impulses along their directions at its start
  int plain_solves = 1;  // before mixing starts: most steps need no more
  int few_solves = 5;    // after more the joints may have met somewhere else,
  double near = 2;       // and changes of motion this many times the first one are not taken for a solution
  int first_judgement = 3;      // solves before convergence is judged
  double lost = 1e3;            // times the first gap: it will not come back
  double dependent = 1e-3;      // of the tolerance: gap allowed where rows depend on each other
  double nearly_closed = 1e-5;  // of the size: tolerances below it leave joints so closed that dependent rows show
  int most_at_end = 12;         // solves with the directions at the end of the step, and with contacts:
  int most_at_end_with_laws = 20;
  double growth = 10;     // of a gap from one such solve to the next
  double shrinks = 0.1;   // what is left of a gap, or of a move, after an iteration that converges
  double fast_top = 0.2;  // rad a step: from here on bodies with two equal moments are turned by the closed form

  int most_velocity_solves = 100;  // velocity correction

  // Parts of a step.
  int most_halvings = 10;  // of a part whose joints cannot be closed
  int most_tries = 30;     // to find the time of a meeting
  int most_cuts = 20;      // where bodies meet within one step; what is left of it then goes to its end
  int most_solves = 20;    // of contacts and other laws in one step,
  int most_rows = 20'000;  // and rows of them: a step that needs more of both is left to the implicit scheme
  int long_searches = 3;   // for exact answers of few rows in one step, where the quick way finds none

  // Laws and joints in turn.
  int most_rounds = 50;
  double settled = 1e-2;       // of the position tolerance: impulses that change the motion in a part by less are good
  double indeterminate = 0.1;  // the same where contacts leave open which of them carries how much
  double enough = 1e-4;        // of the last change: what comes after it is corrected anyway
  double nearly_exact =
      1e-5;          // residuals below may be of rows that contradict each other, above they are not worth looking
  double fall = 10;  // steps of gravity: the least speed that gaps may close with
};

// When a method gives a step to the implicit scheme (stepper.h), whatever the method.
struct StabilityTuning {
  double stiff = 0.5;  // stiffness ratio (stiffness.h) beyond which springs, dampers and servos are taken implicitly
  // Of weight times size and kinetic energy: a step of the method impulse after which there is more energy than at the start and by the work put in is not taken. Its
  // energy swings about that of the motion; the other methods compare every part of a step, with their own bounds.
  double most_gain = 1e-3;
  double most_swing = 0.2;  // the same of the energy before the step: more than that is no swing
};

// Bodies that sleep (contact/sleep.h), where the settings let them.
struct SleepTuning {
  double still_speed = 1e-4;  // m/s: bodies no point of which moves faster, by their radius of gyration, keep still
  double still_time = 0.5;    // s: an island that has kept still for so long falls asleep
  double near = 1e-3;         // m: bodies that are not farther apart fall asleep and wake together
  int load_bits =
      20;  // binary places of what pushes a body that sleeps: it is woken where these change (20: by a millionth)
};

struct Tuning {
  PartTuning parts;
  JointTuning joints;
  VelocityTuning velocity;
  LagrangeTuning lagrange;
  ImpulseTuning impulse;
  StabilityTuning stability;
  SleepTuning sleep;
};

// One of those numbers: where it is kept, its name and what it means.
struct TuningEntry {
  std::string name, meaning;
  std::variant<double*, int*> number;
  double value() const;
};
// All numbers of a part of the tuning; they are kept in `tuning`, which must outlive them.
std::vector<TuningEntry> entries(PartTuning& tuning);
std::vector<TuningEntry> entries(JointTuning& tuning);
std::vector<TuningEntry> entries(VelocityTuning& tuning);
std::vector<TuningEntry> entries(LagrangeTuning& tuning);
std::vector<TuningEntry> entries(ImpulseTuning& tuning);
std::vector<TuningEntry> entries(StabilityTuning& tuning);
std::vector<TuningEntry> entries(SleepTuning& tuning);

// The parts by name: "parts", "joints", "velocity" …
struct TuningPart {
  std::string name;
  std::vector<TuningEntry> entries;
};
std::vector<TuningPart> parts(Tuning& tuning);

// Sets one number by the names of its part and its own, "velocity.motion_gain". Returns what is wrong, or nothing: there is no such number, or the
// value is negative, not finite, or not whole where whole ones are kept.
[[nodiscard]] std::string set_tuning(Tuning& tuning, std::string_view name, double value);

// The numbers that are not as they are by default, by both names.
std::vector<std::pair<std::string, double>> changes(const Tuning& tuning);

}  // namespace catena
