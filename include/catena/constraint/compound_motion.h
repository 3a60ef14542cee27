// How frame B stands and moves in frame A under the freedoms of a compound joint: a product of turns and travels.
#pragma once

#include <array>
#include <span>

#include "catena/math/spatial.h"
#include "catena/model/joint.h"

namespace catena {

// All in the axes of frame A; motions are those of the point of B at its anchor.
template <class Real>
struct CompoundPlaceT {
  Mat3T<Real> R = Mat3T<Real>::identity();            // frame B in frame A
  Vec3T<Real> t{};                                    // B's anchor from A's
  std::array<Vec3T<Real>, kMaxCoordinates> axis, at;  // a of each freedom and a point p of it
  std::array<SpatialT<Real>, kMaxCoordinates>
      F{};  // the motion by each rate: (a × (t − p), a) of a turn, (a, 0) of a travel
};
using CompoundPlace = CompoundPlaceT<double>;
struct CompoundMotion : CompoundPlace {
  Spatial velocity{};  // F q̇
  Spatial bias{};      // Ḟ q̇
};

// O(freedoms). Coordinates count from each freedom's `zero`.
CompoundPlace compound_place(std::span<const Freedom> freedoms, const double* q);
CompoundMotion compound_motion(std::span<const Freedom> freedoms, const double* q, const double* rates);
// F q̇ and Ḟ q̇.
template <class Real>
struct CompoundRatesT {
  SpatialT<Real> velocity, bias;
};
using CompoundRates = CompoundRatesT<double>;
CompoundRates compound_rates(std::span<const Freedom> freedoms, const CompoundPlace& place, const double* rates);

// The coordinates that bring frame B nearest to (R, t), found from the guess in `q` by Gauss–Newton steps:
//     q ← q + (FᵀF)⁻¹ Fᵀ e,        e = (t − t(q), log(R R(q)ᵀ))
// Quadratic where the joint is closed. Where freedoms coincide (gimbal lock) the shortest step is taken. Returns e, and where q brings B.
struct FoundCoordinates {
  Spatial gap{};
  CompoundPlace place;
};
FoundCoordinates find_coordinates(std::span<const Freedom> freedoms, const Mat3& R, const Vec3& t, double* q);

// What a joint with these motions F leaves free and what it holds.
struct CompoundDirections {
  std::array<Spatial, kMaxCoordinates> held{};  // orthonormal, perpendicular to every F      (6 − count)
  std::array<Spatial, kMaxCoordinates>
      along{};  // (FᵀF)⁻¹Fᵀ: along[k]·V is rate k of a motion V the joint allows   (count)
};
// Only `along` is filled unless `held_too`.
CompoundDirections compound_directions(int count, const std::array<Spatial, kMaxCoordinates>& F, bool held_too);

// F ← an orthonormal basis of what its first `count` columns span. Returns how many there are: fewer where freedoms coincide.
int orthonormalise(int count, std::array<Spatial, kMaxCoordinates>& F);

}  // namespace catena
