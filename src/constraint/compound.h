// Compound joint: hinges and sliders one after the other. Removes six less its freedoms.
#pragma once

#include "catena/constraint/basic_rows.h"
#include "catena/constraint/compound_motion.h"

namespace catena {

// The coordinates are those whose motion brings frame B nearest to where it is (find_coordinates()). With V the motion of B relative to A
// at B's anchor, V = F q̇ where the joint is closed. Rows hold the directions N perpendicular to all F, coordinates go along F⁺:
//     phi = N·e         J v = N·V         c = N·(V̇ without v̇ − Ḟq̇)             and the same of F⁺
// V̇ as seen in A. Exact where the joint is closed in position and velocity; off it J and c are so to the first order in the gap.
struct Compound {
  // `F`: takes what each rate moves B by, relative to A, at B's anchor, in the world.
  static void rows(const JointPose& j, Rows& out, std::array<Spatial, kMaxCoordinates>* F = nullptr) {
    const Closing c(j, true);
    for (std::size_t k = 0; F && k < static_cast<std::size_t>(c.count); ++k)
      (*F)[k] = {j.fa * c.F[k].linear, j.fa * c.F[k].angular};
    for (int i = 0; i < 6 - c.count; ++i) out.add(c.row(j, c.directions.held[static_cast<std::size_t>(i)], 0));
    for (int i = 0, first = out.count - (6 - c.count); i < 6 - c.count; ++i)
      out[first + i].phi = dot(c.directions.held[static_cast<std::size_t>(i)], c.gap);
  }
  static void coordinates(const JointPose& j, Rows& out) {
    const Closing c(j, false);
    for (std::size_t k = 0; k < static_cast<std::size_t>(c.count); ++k)
      out.add(c.row(j, c.directions.along[k], c.q[k]));
  }

 private:
  struct Closing {
    int count = 0;
    JointArray q{};
    Spatial gap;  // axes of A
    CompoundDirections directions;
    std::array<Spatial, kMaxCoordinates> F{};  // axes of A
    Vec3 arm_a;                                // from A's centre of mass to B's anchor
    Spatial rest;                              // V̇ without v̇, less Ḟq̇; axes of A

    Closing(const JointPose& j, bool held_too) : arm_a(j.pb.p - j.A.x) {
      const std::span<const Freedom> freedoms = j.geometry.freedoms;
      count = static_cast<int>(freedoms.size());
      for (std::size_t k = 0; k < freedoms.size(); ++k) q[k] = j.guess ? j.guess[k] : freedoms[k].start;
      const FoundCoordinates found =
          find_coordinates(freedoms, transpose(j.fa) * j.fb, transpose_times(j.fa, j.gap()), q.data());
      gap = found.gap;
      F = found.place.F;
      const Vec3 v = j.pb.v - j.A.v - cross(j.A.w, arm_a);
      const Spatial V{transpose_times(j.fa, v), transpose_times(j.fa, j.w_rel)};
      directions = compound_directions(count, found.place.F, held_too);
      JointArray rates{};
      for (std::size_t k = 0; k < freedoms.size(); ++k) rates[k] = dot(directions.along[k], V);
      const Spatial turning = compound_rates(freedoms, found.place, rates.data()).bias;
      const Vec3 linear = j.pb.bias - cross(j.A.w, j.pb.v - j.A.v) - cross(j.A.w, v);
      rest = Spatial{transpose_times(j.fa, linear), transpose_times(j.fa, -cross(j.A.w, j.B.w))} - turning;
    }
    // n·V, n in the axes of A.
    Row row(const JointPose& j, const Spatial& n, double phi) const {
      const Vec3 linear = j.fa * n.linear, angular = j.fa * n.angular;
      BodyVector a{linear, cross(arm_a, linear) + angular, 0}, b = along(linear, j.pb);
      b.angular += angular;
      return {negative(a), b, dot(n, rest), 0, phi};
    }
  };
};

}  // namespace catena
