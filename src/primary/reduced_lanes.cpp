#include "catena/primary/reduced_lanes.h"

#include "catena/primary/reduced_build.h"
#include "catena/primary/reduced_places.h"
#include "catena/primary/reduced_sweeps.h"

namespace catena {

template <>
CATENA_DISPATCH void LaneSystem::update(const JointStateT<WorldLanes>& state) {
  place_all(state);
}

template <>
CATENA_DISPATCH void LaneSystem::update_rates(const JointStateT<WorldLanes>& state) {
  turn_all(state);
}

template <>
CATENA_DISPATCH void LaneSystem::bodies(std::span<BodyStateT<WorldLanes>> out) {
  find_bodies(out);
}

template <>
CATENA_DISPATCH void LaneSystem::factor() {
  eliminate_all();
}

template <>
CATENA_DISPATCH void LaneSystem::accelerations(std::span<const WorldLanes> tau,
                                               std::span<const BodyVectorT<WorldLanes>> f,
                                               const Vec3T<WorldLanes>& gravity, std::span<WorldLanes> vdot) {
  sweep<false>(tau.empty() ? nullptr : tau.data(), f, gravity, vdot.data());
}

template <>
CATENA_DISPATCH void LaneSystem::forward(std::span<const WorldLanes> tau, std::span<const BodyVectorT<WorldLanes>> f,
                                         const Vec3T<WorldLanes>& gravity, std::span<WorldLanes> vdot) {
  sweep<true>(tau.empty() ? nullptr : tau.data(), f, gravity, vdot.data());
}

template <>
CATENA_DISPATCH void LaneSystem::respond(std::span<const BodyVectorT<WorldLanes>> p, std::span<WorldLanes> dv) {
  answer(p, dv.data());
}

template <>
CATENA_DISPATCH void LaneSystem::motion(std::span<const WorldLanes> v, std::span<BodyVectorT<WorldLanes>> out) {
  find_motion(v.data(), out);
}

CATENA_DISPATCH void integrate(const ReducedModel& model, double h, std::span<const WorldLanes> v,
                               std::span<WorldLanes> q) {
  integrate_coordinates(model.nodes(), WorldLanes(h), v.data(), q.data());
}

template LaneSystem::ReducedSystemT(const ReducedModel& model);
template void LaneSystem::set_freedom_inertia(std::span<const WorldLanes> a);
template int LaneSystem::directions(int node, std::array<SpatialT<WorldLanes>, 6>& F) const;
template SpatialT<WorldLanes> LaneSystem::bias(int node) const;
template void LaneSystem::pass(const Link& link, SpatialT<WorldLanes>& x) const;
template void LaneSystem::pass(const Link& link, Sym6T<WorldLanes>& Y) const;
template void LaneSystem::halve(int node, SpatialT<WorldLanes>& x, WorldLanes* z, WorldLanes* Ez) const;

}  // namespace catena
