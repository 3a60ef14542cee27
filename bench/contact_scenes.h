// Scenes in which bodies touch: what tests hold the methods to, and what is measured beside other simulators.
#pragma once

#include <string>

#include "catena/catena.h"

namespace catena::workloads {

// `count` boxes of 0.5 x 0.5 x 0.3 m on the floor, 1 mm apart at first.
Scene box_stack(int count);
Scene boxes_on_a_floor(int count);  // apart, at rest
// `count` bricks side by side, thrown along x at `speed` and let fall flat on the floor from `height`.
Scene thrown_bricks(int count, double speed, double height, double friction, double restitution);
// Balls of 0.1 m radius side by side above a floor, each 1 mm higher than the one before.
Scene falling_balls(int count, double restitution, double lowest);

// A wall of ten courses of ten or eleven bricks, each course half a brick off the one below.
Scene brick_wall();
// `count` spheres, boxes, capsules and cylinders let fall into a pit of five planes, in layers.
Scene mixed_pile(int count);
// `count` figures of eleven capsules and boxes on ball joints and hinges, above a flight of stairs.
Scene ragdolls_on_stairs(int count);
// `links` capsules of 0.1 kg that hang by ball joints, level at first, and under the last a weight `ratio` times as heavy as one.
Scene loaded_chain(int links, double ratio);
// A capsule of 45 g held between two pads that press with 20 times what friction needs.
Scene pinched_capsule();
// `n` x `n` particles of 2 g with spheres of 2 cm, 5 cm apart, a hammock pinned at its corners, and a ball of 12 cm and 0.5 kg over its middle.
Scene ball_over_hammock(int n, double friction);

// A scene of boxes, spheres, capsules, cylinders, planes, ball joints and hinges as lines of numbers, for programs that do not read scenes:
//   body KIND MASS IXX IYY IZZ X Y Z QW QX QY QZ A B C      KIND box (A, B, C sides), sphere (A radius), capsule, cylinder (A radius, B length)
//   fixed KIND X Y Z QW QX QY QZ A B C                      the same, on the ground
//   plane NX NY NZ OFFSET
//   joint ball|hinge FIRST SECOND X Y Z AX AY AZ            bodies by number, −1 the ground; anchor and axis in the world
//   friction COEFFICIENT
std::string plain_text(const Scene& scene);

}  // namespace catena::workloads
