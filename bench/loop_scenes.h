// Mechanisms with closed loops that tests and `catena bench loops` measure on.
#pragma once

#include "bench/workloads.h"

namespace catena::workloads {

// n four-bars in a row, planar, of hinges about y: n + 1 cranks from the ground at `angle` to the x axis, n couplers between their tips, which move
// alike. One freedom, and three redundant rows a loop. Rods of 1 kg and 1 m; the cranks turn at `rate`.
Scene four_bars(int n, double angle = 1, double rate = 1);

// Two chains of `rungs` rods that bend at random, both from the ground, and a rung at every joint: loops along the whole length.
Scene ladder(int rungs, JointKind kind = JointKind::hinge);

// n x n square plates of a bent sheet, neighbours joined by ball joints in the middle of their common edge, held at one corner.
Scene plate_grid(int n);

// A lift of `stages` pairs of crossed bars; one foot is hinged to the ground, the other slides on it.
Scene scissor_lift(int stages);

// n x n rings on ball joints: each hangs on those above it and to its left, the upper row on the ground.
Scene chain_mail(int n);

// A random forest of rigid bodies and particles on every kind of joint, `loops` joints closed across it and `doubled` of the joints there twice:
// their rows depend on the others'. Velocities satisfy all joints.
Scene random_graph(std::uint64_t seed, int bodies, int loops, int doubled);

}  // namespace catena::workloads
