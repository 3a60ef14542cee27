// One number for a model: another wherever anything is that moves it.
#include "catena/model/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bench/workloads.h"

namespace catena {
namespace fingerprint_test {

TEST(Fingerprint, every_change_of_what_moves_a_state_on_is_another_number) {
  const Scene scene = workloads::humanoid();
  const std::uint64_t own = fingerprint(scene);
  EXPECT_EQ(fingerprint(workloads::humanoid()), own);
  std::set<std::uint64_t> seen{own};
  const std::vector<std::pair<const char*, std::function<void(Scene&)>>> changes{
      {"gravity", [](Scene& s) { s.model.gravity.x += 1e-12; }},
      {"a mass", [](Scene& s) { s.model.bodies[3].mass *= 1 + 1e-15; }},
      {"an inertia", [](Scene& s) { s.model.bodies[2].inertia.xy += 1e-9; }},
      {"a kind of joint", [](Scene& s) { s.model.joints[1].kind = JointKind::weld; }},
      {"an anchor", [](Scene& s) { s.model.joints[0].anchor_b.z += 1e-9; }},
      {"what a joint joins", [](Scene& s) { std::swap(s.model.joints[1].a, s.model.joints[1].b); }},
      {"a body less", [](Scene& s) { s.model.bodies.pop_back(), s.initial.bodies.pop_back(); }},
      {"an order", [](Scene& s) { std::swap(s.model.joints[0], s.model.joints[1]); }},
      {"a spring", [](Scene& s) { s.model.springs.push_back({.a = BodyId(0), .b = BodyId(1), .stiffness = 1}); }},
      {"a place", [](Scene& s) { s.initial.bodies[1].position.y += 1e-12; }},
      {"a speed", [](Scene& s) { s.initial.bodies[1].angular_velocity.y += 1e-12; }},
      {"a material", [](Scene& s) { s.model.materials.push_back({.name = "ice", .friction = 0.01}); }},
      {"who may touch", [](Scene& s) { s.model.collide_exclude.emplace_back(BodyId(0), BodyId(1)); }},
      {"whether neighbours touch", [](Scene& s) { s.model.collide_adjacent = !s.model.collide_adjacent; }},
      {"a load", [](Scene& s) {
         s.model.forces.push_back({.body = BodyId(0), .force = {1, 2, 3}});
       }}};
  for (const auto& [what, change] : changes) {
    Scene other = scene;
    change(other);
    EXPECT_TRUE(seen.insert(fingerprint(other)).second) << what;
  }
}

TEST(Fingerprint, the_name_of_a_model_does_not_move_it) {
  Scene scene = workloads::humanoid();
  const std::uint64_t own = fingerprint(scene);
  scene.model.name += " by another name";
  EXPECT_EQ(fingerprint(scene), own);
}

}  // namespace fingerprint_test
}  // namespace catena
