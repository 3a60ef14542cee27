// Articulated bodies of several worlds of one model at once, a world in each lane (math/four.h): the templates of reduced_system.h on lanes. Every lane has the bits that
// its world would have alone. Branches are on the model, never on the state.
#pragma once

#include "catena/math/four.h"
#include "catena/primary/reduced_system.h"

namespace catena {

using WorldLanes = Four;
constexpr int kWorldLanes = WorldLanes::kCount;  // worlds
using LaneSystem = ReducedSystemT<WorldLanes>;

template <>
void LaneSystem::update(const JointStateT<WorldLanes>& state);
template <>
void LaneSystem::update_rates(const JointStateT<WorldLanes>& state);
template <>
void LaneSystem::bodies(std::span<BodyStateT<WorldLanes>> out);
template <>
void LaneSystem::factor();
template <>
void LaneSystem::accelerations(std::span<const WorldLanes> tau, std::span<const BodyVectorT<WorldLanes>> f,
                               const Vec3T<WorldLanes>& gravity, std::span<WorldLanes> vdot);
template <>
void LaneSystem::forward(std::span<const WorldLanes> tau, std::span<const BodyVectorT<WorldLanes>> f,
                         const Vec3T<WorldLanes>& gravity, std::span<WorldLanes> vdot);
template <>
void LaneSystem::respond(std::span<const BodyVectorT<WorldLanes>> p, std::span<WorldLanes> dv);
template <>
void LaneSystem::motion(std::span<const WorldLanes> v, std::span<BodyVectorT<WorldLanes>> out);

// ReducedModel::integrate() in lanes.
void integrate(const ReducedModel& model, double h, std::span<const WorldLanes> v, std::span<WorldLanes> q);

}  // namespace catena
