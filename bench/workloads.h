// Mechanisms that tests, benchmarks and the program measure on: one set for all.
#pragma once

#include <cstdint>

#include "catena/catena.h"

namespace catena::workloads {

// n bodies on n joints: a chain from the ground, or a balanced binary tree under a floating root (n − 1 joints). Bodies in general
// position and motion: nothing is zero, nothing aligned. Names are short and nothing is checked: for a million bodies.
enum class Shape { chain, tree };
Scene linkage(Shape shape, JointKind kind, int n);

// The serial chain of ../shared/peers' W1: boxes 0.02 x 0.02 x 0.1 m hanging along −z, hinges about x and y in turn, q̇_i = 0.5 cos i.
Scene peer_chain(int n);
// W2: a floating root and a binary tree of ball joints; boxes 4 cm x 4 cm x l, l = 1.5^(max depth − depth) · 0.1 m, 600 kg/m³.
Scene peer_tree(int joints);

// A robot of 26 hinges on the ground with two arms and a head (bench/peers/common.h), q̇_i = 0.5 cos i.
Scene peer_dual_arm();

// A square cloth of n x n particles of 1 g, 10 cm apart, hung by the corners of its upper edge: rows sag in an arc, columns hang. The
// lower edge is given a push out of the plane.
Scene hung_cloth(int n);

// Bender §6: peer_tree with a torque of 10 N·m on the top body over the first step of h.
Scene bender_tree(int joints, double h);

// A random forest of every kind of body and joint, `loops` joints closed across it; velocities satisfy all joints.
Scene random_mechanism(std::uint64_t seed, int bodies, int loops);

// A pole hinged to a cart on a rail; nothing drives it.
Scene cart_pole();

// A humanoid of 45 hinges on a floating pelvis: three at each of the waist, neck, shoulders, elbows, wrists, hips, knees, ankles and toes
// (in twos and threes), small links between the axes of one joint.
Scene humanoid();

// A robot of 30 freedoms that stands on two feet, eight points of contact: a floating pelvis and 24 hinges, held by position actuators. Its
// arms swing, so the forces under its feet change all the time.
Scene biped();

// Jain's pendulum (his §8): n spheres of 1 kg on pin hinges, 12 m long, from 10 m above a floor, a wall 4 m away; friction 0.5, restitution
// 0.7; at 45 degrees, swinging down at 1 rad/s.
Scene jain_pendulum(int n);

// A random forest of rigid bodies on joints with coordinates, `loops` joints of other kinds closed across it.
Scene random_linkage(std::uint64_t seed, int bodies, int loops);

// The systems of Baraff's results (§9).
enum class Baraff { planar_54, planar_48_loops_6, spatial_32_contacts_3, spatial_127 };
Scene baraff(Baraff which);

}  // namespace catena::workloads
