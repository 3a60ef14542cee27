// Bodies held together by joints, against paths through the joints counted one by one.
#include "catena/model/mechanisms.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <set>

#include "bench/loop_scenes.h"
#include "bench/workloads.h"

namespace catena {
namespace mechanisms_test {

TEST(Mechanisms, two_bodies_are_of_one_where_joints_lead_from_one_to_the_other_and_the_ground_joins_nobody) {
  int several = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Scene scene = workloads::random_mechanism(seed, 14, static_cast<int>(seed % 3));
    // Every third joint is cut, so that there are several.
    std::vector<Joint> kept;
    for (std::size_t j = 0; j < scene.model.joints.size(); ++j)
      if (j % 3 != 0) kept.push_back(scene.model.joints[j]);
    scene.model.joints = kept;
    const auto n = static_cast<int>(scene.model.bodies.size());
    // Warshall's closure.
    Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> reaches =
        Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic>::Constant(n, n, false);
    for (int i = 0; i < n; ++i) reaches(i, i) = true;
    for (const Joint& joint : kept)
      for (const BodyId a : bodies_of(scene.model, joint))
        for (const BodyId b : bodies_of(scene.model, joint))
          if (a.valid() && b.valid()) reaches(a.value(), b.value()) = true;
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) reaches(i, j) = reaches(i, j) || (reaches(i, k) && reaches(k, j));
    const std::vector<int> of = mechanisms(scene.model);
    for (int i = 0; i < n; ++i) {
      EXPECT_TRUE(reaches(i, of[static_cast<std::size_t>(i)])) << "named after one of its own";
      for (int j = 0; j < n; ++j) {
        EXPECT_EQ(of[static_cast<std::size_t>(i)] == of[static_cast<std::size_t>(j)], reaches(i, j));
        several += reaches(i, j) ? 0 : 1;
      }
    }
  }
  EXPECT_GT(several, 100);
}

TEST(Mechanisms, a_coupling_acts_on_the_bodies_of_all_its_rows) {
  Scene scene = workloads::random_linkage(3, 5, 0);
  JointExtras extras;
  extras.rows.resize(2);
  extras.rows[0].terms.push_back({BodyId(1), {1, 0, 0}, {}, false});
  extras.rows[1].terms.push_back({BodyId(3), {1, 0, 0}, {}, false});
  extras.rows[1].through.push_back({BodyId(4), {1, 0, 0}, {}, false});
  Joint joint;
  joint.kind = JointKind::coupling;
  joint.extras = static_cast<int>(scene.model.extras.size());
  scene.model.extras.push_back(extras);
  scene.model.joints = {joint};
  std::set<int> bodies;
  for (const BodyId body : bodies_of(scene.model, joint))
    if (body.valid()) bodies.insert(body.value());
  EXPECT_EQ(bodies, (std::set<int>{1, 3, 4}));
}

}  // namespace mechanisms_test
}  // namespace catena
