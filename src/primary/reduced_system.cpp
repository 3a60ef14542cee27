// Articulated bodies on one world's numbers: reduced_places.h and reduced_sweeps.h, compiled for each kind of processor.
#include "catena/primary/reduced_system.h"

#include "catena/math/dispatch.h"
#include "catena/primary/reduced_build.h"
#include "catena/primary/reduced_places.h"
#include "catena/primary/reduced_sweeps.h"

namespace catena {

template <>
CATENA_DISPATCH void ReducedSystem::update(const JointStateT<double>& state) {
  place_all(state);
}

template <>
CATENA_DISPATCH void ReducedSystem::update_rates(const JointStateT<double>& state) {
  turn_all(state);
}

template <>
CATENA_DISPATCH void ReducedSystem::bodies(std::span<BodyStateT<double>> out) {
  find_bodies(out);
}

template <>
CATENA_DISPATCH void ReducedSystem::factor() {
  eliminate_all();
}

template <>
CATENA_DISPATCH void ReducedSystem::accelerations(std::span<const double> tau, std::span<const BodyVectorT<double>> f,
                                                  const Vec3T<double>& gravity, std::span<double> vdot) {
  sweep<false>(tau.empty() ? nullptr : tau.data(), f, gravity, vdot.data());
}

template <>
CATENA_DISPATCH void ReducedSystem::forward(std::span<const double> tau, std::span<const BodyVectorT<double>> f,
                                            const Vec3T<double>& gravity, std::span<double> vdot) {
  sweep<true>(tau.empty() ? nullptr : tau.data(), f, gravity, vdot.data());
}

template <>
CATENA_DISPATCH void ReducedSystem::respond(std::span<const BodyVectorT<double>> p, std::span<double> dv) {
  answer(p, dv.data());
}

template <>
CATENA_DISPATCH void ReducedSystem::motion(std::span<const double> v, std::span<BodyVectorT<double>> out) {
  find_motion(v.data(), out);
}

template ReducedSystemT<double>::ReducedSystemT(const ReducedModel& model);
template void ReducedSystemT<double>::set_freedom_inertia(std::span<const double> a);
template int ReducedSystemT<double>::directions(int node, std::array<SpatialT<double>, 6>& F) const;
template SpatialT<double> ReducedSystemT<double>::bias(int node) const;
template void ReducedSystemT<double>::pass(const Link& link, SpatialT<double>& x) const;
template void ReducedSystemT<double>::pass(const Link& link, Sym6T<double>& Y) const;
template void ReducedSystemT<double>::halve(int node, SpatialT<double>& x, double* z, double* Ez) const;

}  // namespace catena
