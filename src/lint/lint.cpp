// The table of rules. Numbers stay: a rule that goes leaves a gap.
#include "catena/lint/lint.h"

#include "catena/lint/linter.h"

namespace catena {
namespace {

constexpr LintRule kRules[] = {
    {"R01", "inertia of no body",
     "The largest principal moment of inertia exceeds the sum of the other two by more than a thousandth. No "
     "distribution of mass has that.",
     "Compute the inertia again; look for moments about another point than the centre of mass, a wrong sign, swapped "
     "entries.",
     rules::inertia_of_no_body},
    {"R02", "inertia too large for the shapes",
     "The radius of gyration is more than five times as far as the shapes reach.",
     "Check the units: kg·mm² and g·cm² are a millionth and a ten-millionth of kg·m². Check that shapes are in metres.",
     rules::inertia_too_large},
    {"R03", "inertia too small for the shapes",
     "The radius of gyration is less than a two-hundredth of how far the shapes reach.",
     "Placeholders such as 1e-6 are the usual reason: compute the inertia from the shapes (`density:`), or measure it.",
     rules::inertia_too_small},
    {"R04", "masses far apart", "A joint joins bodies whose masses differ by more than ten thousand times.",
     "Direct solvers take it, iterative ones converge slowly. A mass is often off by a factor of 1000 (grams).",
     rules::mass_ratio},
    {"R05", "tiny mass", "A body has less than a milligram.",
     "Weld it to its neighbour, or give it its mass in kilograms.", rules::tiny_mass},
    {"R06", "too dense", "Mass over the volume of the shapes exceeds 100 000 kg/m³; osmium has 22 590.",
     "Check kilograms against grams and metres against millimetres; shapes may be only part of the body, but rarely a "
     "fifth.",
     rules::too_dense},
    {"R07", "lighter than air", "Mass over the volume of the shapes is below 0.1 kg/m³; air has 1.2.",
     "Check the mass, and the shapes' sizes: half sides or whole ones, millimetres.", rules::too_light},
    {"R08", "millimetres", "A shape or a joint is more than 100 m from the centre of mass of its body.",
     "Lengths are metres: write `5 mm`, or scale meshes by 0.001.", rules::millimetres},
    {"R09", "odd gravity", "Gravity is above 30 m/s² or between 0 and 0.1 m/s².",
     "9810 means millimetres and 981 centimetres. Write 9.81, or 0 for none.", rules::gravity_odd},
    {"R10", "fast start", "A body starts faster than 1000 m/s or 10 000 rad/s.",
     "Check the units: rad/s against degrees or turns a minute.", rules::fast_start},
    {"R11", "body that nothing reaches",
     "A body in a scene with joints or a ground has no joint, no spring, no force and no shape that collides: it falls "
     "for ever.",
     "Add the joint that was forgotten, or take the body out.", rules::falls_forever},
    {"R12", "sample or run below a step",
     "Samples are asked for more often than there are steps, or the run is shorter than one.",
     "Shorten `step`, or lengthen `sample` or `duration`.", rules::sample_below_step},
    {"R13", "name that breaks columns",
     "A name has a comma, a quote or a tab, which separate the columns of recordings.",
     "Use letters, digits, `_`, `-`, `.` and `/`.", rules::bad_names},
    {"R14", "degrees", "A turning coordinate has a limit beyond three turns.",
     "Limits are radians: write `90 deg`; in MJCF look at `compiler angle`.", rules::degrees},
    {"R15", "start outside the limits",
     "A coordinate starts outside its limits, which will throw it back in the first step.",
     "Set `start`, `ref` or the keyframe to what the pose really is, or widen the limits.",
     rules::start_outside_limits},
    {"R16", "limits without width", "Lower and upper limit are equal: the coordinate cannot move.",
     "Use a weld (`fixed`), or give the real range; `lower` and `upper` may have been forgotten.",
     rules::limits_without_width},
    {"R17", "cannot be assembled",
     "Joints cannot be closed from the positions as written, or settings contradict each other. The program exits with "
     "2.",
     "The message names the joint. Check anchors, axes and lengths of the bars of its loop.", rules::loop_cannot_close},
    {"R18", "start not closed",
     "A joint is open by more than a hundredth of the mechanism's size as written; assembly moved bodies to close it.",
     "Place the bodies so that the anchors meet, or check the frame the anchors are written in.",
     rules::start_not_closed},
    {"R19", "axis not a unit vector",
     "An axis of a URDF or SDF file has a length other than one. Its direction is used and the length dropped.",
     "Write a unit vector, and put ratios into `gear` or `mimic`.", rules::axis_not_unit},
    {"R20", "distance of zero",
     "A distance joint keeps two points at distance zero, where it has no direction to act in.", "Use a ball joint.",
     rules::zero_distance},
    {"R21", "anchor far away", "A joint is more than a thousand times the size of a body away from its centre of mass.",
     "The anchor may be in another frame (world, not body), or in millimetres.", rules::anchor_far_away},
    {"R22", "joint twice", "Two joints of one kind hold the same bodies at the same place.",
     "Take one out: its rows only repeat the other's, and reactions are shared between them.", rules::joint_twice},
    {"R23", "odd ratio", "A gear's ratio is 0 or beyond 10 000, or a screw's pitch is 0 or beyond 1 m/rad.",
     "The ratio is the second's rate over the first's; the pitch is metres a radian, not millimetres a turn.",
     rules::odd_ratio},
    {"R24", "keyframe outside the limits",
     "A named state has a coordinate outside its limits by more than 0.02 rad or 2 mm.",
     "Correct the keyframe, or the order of its numbers.", rules::keyframe_outside_limits},
    {"R25", "no effort", "A drive's force range, an actuator's limit or a motor's `max_force` is zero.",
     "Give the real effort; `effort=\"0\"` is a common placeholder in URDF.", rules::zero_effort},
    {"R26", "effort below the weight",
     "A position actuator's limit is below the force that holds its coordinate against gravity at the start.",
     "Raise the limit, or check masses and lengths beyond that joint.", rules::effort_below_weight},
    {"R27", "gain that cannot hold the weight",
     "At the start gravity pushes a position servo off by more than 0.8 rad or 0.2 m: load / kp.",
     "Raise kp, or add gravity compensation.", rules::gain_below_weight},
    {"R28", "spring too stiff for the step",
     "h·ω of a spring exceeds 1, ω = √(k/m) with the inertia it moves: its swing is not resolved.",
     "Shorten the step, soften the spring, or use a rigid joint.", rules::stiff_spring},
    {"R29", "servo too stiff for the step",
     "h·ω of a position servo exceeds 2, ω = √(kp/m) with the inertia it moves, and the method is lagrange or impulse.",
     "Take the method spook or operational, which take servos implicitly; shorten the step or lower kp.",
     rules::stiff_servo},
    {"R30", "servo without damping", "A position actuator has kp but no kv, on a joint without damping or friction.",
     "Give kv, about 2√(kp m), or damping.", rules::undamped_servo},
    {"R31", "target outside the limits",
     "A position actuator is sent to a constant outside the limits of its coordinate.",
     "Change the target or the limits; check degrees.", rules::target_outside_limits},
    {"R32", "driven twice",
     "A coordinate has a motor that prescribes its velocity and an actuator, or two position actuators.",
     "Keep one: the others only fight it.", rules::driven_twice},
    {"R33", "shape twice", "A body has two equal shapes at one place that both collide.",
     "Take one out, or set `collide: no` on the one that is only looked at: contacts count twice.", rules::shape_twice},
    {"R34", "shape far from its body",
     "A shape's middle is more than ten times its own size and the radius of gyration from the centre of mass.",
     "Shapes are placed from the centre of mass in scenes and from the body frame in robot files.",
     rules::shape_far_away},
    {"R35", "tiny shape", "A shape that collides is smaller than 0.01 mm.",
     "Check the units of its size or of its mesh.", rules::tiny_shape},
    {"R36", "no friction anywhere", "Bodies can touch the ground, and no material has friction.",
     "Give `defaults: {friction: 0.5}` unless ice is meant.", rules::no_friction_anywhere},
};

}  // namespace

std::span<const LintRule> lint_rules() { return kRules; }

std::string lint_reference() {
  std::string out;
  for (const LintRule& rule : kRules)
    out += fmt::format("\n## {} {}\n\n{}\n\n*What to do:* {}\n", rule.number, rule.title, rule.meaning, rule.remedy);
  return out;
}

}  // namespace catena
