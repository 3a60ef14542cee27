// Articulated bodies of several worlds in lanes: every world has the bits it has alone.
#include "catena/primary/reduced_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>

#include "primary/reduced_testing.h"

namespace catena {
namespace reduced_lanes_test {

using namespace testing_reduced;

// A scene with a world in every lane: the same mechanism at other coordinates and rates.
struct Worlds {
  explicit Worlds(const Scene& scene) {
    for (int lane = 0; lane < kWorldLanes; ++lane) {
      alone.push_back(std::make_unique<Reduced>(scene));
      Reduced& r = *alone.back();
      const std::vector<double> push = random_numbers(r.model.n_v(), 11U + static_cast<unsigned>(lane));
      r.model.integrate(1, push, r.state.q);
      for (std::size_t i = 0; i < push.size(); ++i) r.state.v[i] += push[i];
      tau.push_back(random_numbers(r.model.n_v(), 21U + static_cast<unsigned>(lane)));
      f.push_back(random_forces(scene.model, 31U + static_cast<unsigned>(lane)));
    }
  }
  const ReducedModel& model() const { return alone.front()->model; }

  std::vector<std::unique_ptr<Reduced>> alone;
  std::vector<std::vector<double>> tau;
  std::vector<std::vector<BodyVector>> f;
};

std::vector<WorldLanes> packed(const std::vector<std::vector<double>>& rows) {
  std::vector<WorldLanes> out(rows.front().size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int lane = 0; lane < kWorldLanes; ++lane) out[i].set(lane, rows[static_cast<std::size_t>(lane)][i]);
  return out;
}

std::vector<BodyVectorT<WorldLanes>> packed(const std::vector<std::vector<BodyVector>>& rows) {
  std::vector<BodyVectorT<WorldLanes>> out(rows.front().size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int lane = 0; lane < kWorldLanes; ++lane)
      for (int k = 0; k < 3; ++k) {
        out[i].linear[k].set(lane, rows[static_cast<std::size_t>(lane)][i].linear[k]);
        out[i].angular[k].set(lane, rows[static_cast<std::size_t>(lane)][i].angular[k]);
      }
  return out;
}

// Whether the numbers of a lane have the bits they have alone.
void expect_same(const std::vector<WorldLanes>& got, int lane, const std::vector<double>& alone, const char* what) {
  for (std::size_t i = 0; i < alone.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got[i][lane]), std::bit_cast<std::uint64_t>(alone[i])) << what << " " << i;
}

std::vector<double> flat(const Vec3& a, const Vec3& b) { return {a.x, a.y, a.z, b.x, b.y, b.z}; }
std::vector<WorldLanes> flat(const Vec3T<WorldLanes>& a, const Vec3T<WorldLanes>& b) {
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

void expect_same_dynamics(const Scene& scene) {
  Worlds worlds(scene);
  LaneSystem lanes(worlds.model());
  JointStateT<WorldLanes> state;
  std::vector<std::vector<double>> q, v;
  for (const auto& r : worlds.alone) q.push_back(r->state.q), v.push_back(r->state.v);
  state = {packed(q), packed(v)};
  const auto n_v = static_cast<std::size_t>(worlds.model().n_v()), n = scene.model.bodies.size();
  const std::vector<WorldLanes> tau = packed(worlds.tau);
  const std::vector<BodyVectorT<WorldLanes>> f = packed(worlds.f);
  std::vector<WorldLanes> vdot(n_v), again(n_v), dv(n_v), moved = state.q;
  std::vector<BodyVectorT<WorldLanes>> motion(n);
  std::vector<BodyStateT<WorldLanes>> bodies(n);
  const Vec3T<WorldLanes> gravity{scene.model.gravity.x, scene.model.gravity.y, scene.model.gravity.z};
  lanes.update(state);
  lanes.bodies(bodies);
  lanes.forward(tau, f, gravity, vdot);
  lanes.respond(f, dv);
  lanes.motion(dv, motion);
  JointStateT<WorldLanes> faster = state;
  for (std::size_t i = 0; i < n_v; ++i) faster.v[i] = state.v[i] + 0.1 * vdot[i];
  lanes.update_rates(faster);
  lanes.accelerations(tau, f, {}, again);
  integrate(worlds.model(), 0.01, state.v, moved);

  for (int lane = 0; lane < kWorldLanes; ++lane) {
    SCOPED_TRACE(lane);
    Reduced& r = *worlds.alone[static_cast<std::size_t>(lane)];
    const auto l = static_cast<std::size_t>(lane);
    std::vector<double> vdot1(n_v), again1(n_v), dv1(n_v), moved1 = r.state.q;
    std::vector<BodyVector> motion1(n);
    std::vector<BodyState> bodies1 = scene.initial.bodies;
    r.system.update(r.state);
    r.system.bodies(bodies1);
    r.system.forward(worlds.tau[l], worlds.f[l], scene.model.gravity, vdot1);
    r.system.respond(worlds.f[l], dv1);
    r.system.motion(dv1, motion1);
    JointState faster1 = r.state;
    for (std::size_t i = 0; i < n_v; ++i) faster1.v[i] = r.state.v[i] + 0.1 * vdot1[i];
    r.system.update_rates(faster1);
    r.system.accelerations(worlds.tau[l], worlds.f[l], {}, again1);
    r.model.integrate(0.01, r.state.v, moved1);
    expect_same(vdot, lane, vdot1, "acceleration");
    expect_same(again, lane, again1, "acceleration at other rates");
    expect_same(dv, lane, dv1, "response");
    expect_same(moved, lane, moved1, "coordinate");
    for (std::size_t i = 0; i < n; ++i) {
      expect_same(flat(motion[i].linear, motion[i].angular), lane, flat(motion1[i].linear, motion1[i].angular),
                  "motion");
      expect_same(flat(bodies[i].position, bodies[i].velocity), lane, flat(bodies1[i].position, bodies1[i].velocity),
                  "body");
      if (scene.model.bodies[i].kind != BodyKind::particle)
        expect_same(flat(bodies[i].orientation.vec(), bodies[i].angular_velocity), lane,
                    flat(bodies1[i].orientation.vec(), bodies1[i].angular_velocity), "turning body");
    }
  }
}

TEST(ReducedLanes, every_world_has_the_bits_it_has_alone_on_all_kinds_of_joints) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    expect_same_dynamics(workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed % 20, 0));
  }
}

TEST(ReducedLanes, chains_trees_and_a_humanoid_have_the_bits_they_have_alone) {
  expect_same_dynamics(workloads::peer_chain(20));
  expect_same_dynamics(workloads::peer_tree(31));
  expect_same_dynamics(workloads::humanoid());
}

// Rotors along hinges, sliders and ball joints, whose freedoms are then eliminated in another way.
TEST(ReducedLanes, inertia_along_the_rates_differs_by_world) {
  for (int seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Worlds worlds(workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed % 20, 0));
    LaneSystem lanes(worlds.model());
    std::vector<std::vector<double>> q, v, rotors;
    for (const auto& r : worlds.alone) {
      q.push_back(r->state.q), v.push_back(r->state.v);
      rotors.push_back(random_numbers(r->model.n_v(), 41U + static_cast<unsigned>(rotors.size())));
      for (double& a : rotors.back()) a = 0.1 + std::abs(a);
      r->system.set_freedom_inertia(rotors.back());
      r->system.update(r->state);
    }
    std::vector<WorldLanes> vdot(v.front().size());
    lanes.set_freedom_inertia(packed(rotors));
    lanes.update({packed(q), packed(v)});
    lanes.forward({}, packed(worlds.f), {}, vdot);
    for (int lane = 0; lane < kWorldLanes; ++lane) {
      std::vector<double> alone(vdot.size());
      const auto l = static_cast<std::size_t>(lane);
      worlds.alone[l]->system.forward({}, worlds.f[l], {}, alone);
      expect_same(vdot, lane, alone, "acceleration");
    }
  }
}

}  // namespace reduced_lanes_test
}  // namespace catena
