// The rows of contacts against the gaps, slips and spins they stand for, worked out from the motion of the bodies alone.
#include "catena/laws/laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "catena/catena.h"
#include "laws/laws_testing.h"

namespace catena {
namespace laws_test {

using namespace testing_laws;

double gap_at(const RandomMotion& motion, double t) { return Found(motion, t).touch().gap; }

// Rates are about 4/s and centres 0.5 m apart: the differences are good to 1e-9 (derivative_at_zero()).
TEST(Laws, the_first_row_of_a_contact_is_the_rate_of_its_gap) {
  for (const RandomMotion& motion : smooth_pairs()) {
    const Found now(motion);
    const double rate = derivative_at_zero([&](double t) { return gap_at(motion, t); });
    EXPECT_GT(std::abs(rate), 1e-3);
    EXPECT_NEAR(now.speed(now.contact()), rate, 1e-8 * std::max(1.0, std::abs(rate)));
  }
}

TEST(Laws, the_rows_of_a_contact_are_the_slip_along_a_right_handed_frame_of_its_normal) {
  for (const RandomMotion& motion : smooth_pairs()) {
    const Found now(motion);
    const LawBlock& block = now.contact();
    const Contact& c = now.touch();
    const auto& [t1, t2] = now.laws.tangents(block);
    ASSERT_EQ(block.size, 3);
    EXPECT_NEAR(dot(cross(c.normal, t1), t2), 1, 1e-14);
    EXPECT_NEAR(dot(t1, t2), 0, 1e-15);
    const Vec3 slip = now.slip(c);
    EXPECT_NEAR(now.speed(block, 0), dot(c.normal, slip), 1e-13);
    EXPECT_NEAR(now.speed(block, 1), dot(t1, slip), 1e-13);
    EXPECT_NEAR(now.speed(block, 2), dot(t2, slip), 1e-13);
    const std::vector<BodyVector> v = velocities_of(now.state);
    for (int i = 0; i < 3; ++i) {
      const LawRow& row = now.laws.rows().row(block, i);
      EXPECT_NEAR(times(now.laws.rows(), block, row, v), row.speed, 1e-14);
    }
  }
}

// The velocities are held constant along the curve, so that the gap's second derivative is c alone.
TEST(Laws, the_bias_of_a_normal_is_the_second_derivative_of_its_gap) {
  for (const RandomMotion& motion : smooth_pairs()) {
    Found now(motion);
    now.laws.find_bias(now.kinematics);
    constexpr double e = 2e-3;
    const double second = (-gap_at(motion, 2 * e) + 16 * gap_at(motion, e) - 30 * gap_at(motion, 0) +
                           16 * gap_at(motion, -e) - gap_at(motion, -2 * e)) /
                          (12 * e * e);
    const double c = now.laws.rows().row(now.contact()).c;
    EXPECT_GT(std::abs(second), 1e-3);
    // e⁴ f⁽⁶⁾/90 with rates of 10/s: 2e-7; find_bias() itself 1e-9.
    EXPECT_NEAR(c, second, 1e-6 * std::max(1.0, std::abs(second)));
  }
}

// Two balls: n turns with what of the slip of their centres is across it, c = |v|² − (n·v)² over their distance.
TEST(Laws, the_bias_of_two_balls_is_their_centripetal_acceleration) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const RandomMotion motion = near_pair(Sphere{0.3}, Sphere{0.4}, seed);
    Found now(motion);
    now.laws.find_bias(now.kinematics);
    const BodyState &a = now.state.bodies[0], &b = now.state.bodies[1];
    const Vec3 v = a.velocity - b.velocity, r = a.position - b.position;
    const double along = dot(v, r) / norm(r);
    EXPECT_NEAR(now.laws.rows().row(now.contact()).c, (dot(v, v) - along * along) / norm(r), 1e-7);
  }
}

// The slip is that of the material points where the bodies touch at the time, along a tangent that turns with the normal.
TEST(Laws, the_bias_of_the_tangents_is_how_the_slip_along_them_changes) {
  for (const RandomMotion& motion : smooth_pairs()) {
    Found now(motion);
    now.laws.find_bias(now.kinematics);
    const LawBlock& block = now.contact();
    for (int i = 1; i < 3; ++i) {
      const Vec3 tangent = now.laws.tangents(block)[static_cast<std::size_t>(i - 1)];
      const double rate = derivative_at_zero([&](double t) {
        const Found then(motion, t);
        const Vec3 n = then.touch().normal;
        return dot(normalized(tangent - dot(tangent, n) * n), then.slip(then.touch()));
      });
      EXPECT_NEAR(now.laws.rows().row(block, i).c, rate, 1e-6 * std::max(1.0, std::abs(rate)));
    }
  }
}

TEST(Laws, what_pushes_two_bodies_apart_leaves_their_momentum_and_spin_alone) {
  for (const RandomMotion& motion : smooth_pairs()) {
    const Found now(motion);
    const double z[] = {0.7, -0.4, 0.9};
    std::vector<BodyVector> f(2);
    add_forces(now.laws.rows(), z, 0, f);
    Vec3 force{}, moment{};
    for (int i = 0; i < 2; ++i) {
      const BodyVector& on = f[static_cast<std::size_t>(i)];
      force += on.linear;
      moment += on.angular + cross(now.state.bodies[static_cast<std::size_t>(i)].position, on.linear);
    }
    EXPECT_LE(norm(force), 1e-15);
    EXPECT_LE(norm(moment), 1e-14);
    EXPECT_GT(dot(f[0].linear, now.touch().normal), 0.69) << "the normal force pushes a away from b";
  }
}

// A body of a ski's material on the ground, or of the ground's on a ski: in both the direction of the grain is that of the owner.
struct Skidding {
  RandomMotion motion;
  Vec3 forward;  // in the world
  bool body_owns;
  double other;  // friction of what has no grain

  Skidding(unsigned seed, bool owns, double along, double across) : body_owns(owns) {
    Random random(seed);
    Material ski, ice;
    ski.grain = Grain{normalized(Vec3{1, 0.3, 0.1}), 0.04, 0.25, 0.5};
    other = ice.friction = 0.64;
    motion.model.materials = {ice, ski};
    const BodyId body = add_shaped(motion, BodyKind::rigid, Sphere{0.3}, random, owns ? 1 : 0);
    add_floor(motion, Plane{{0, 0, 1}, 0}, owns ? 0 : 1);
    BodyState& s = motion.state.bodies[body];
    s.position.z = 0.31;
    const Vec3 grain = owns ? rotate(s.orientation, ski.grain->along) : ski.grain->along;
    forward = normalized(Vec3{grain.x, grain.y, 0});
    // The material's own body slips by (along, across): the ground stands still, so that the ball goes the other way where the ground owns it.
    const Vec3 slip = along * forward + across * cross(Vec3{0, 0, 1}, forward);
    s.velocity = (owns ? 1.0 : -1.0) * slip - cross(s.angular_velocity, Vec3{0, 0, -0.305});
    s.velocity.z = 0.2;
  }
  const Grain& grain() const { return *motion.model.materials[1].grain; }
};

TEST(Laws, friction_with_a_grain_has_the_coefficient_of_the_way_its_own_body_slips) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const bool owns : {true, false})
      for (const double along : {0.8, -0.8, 1e-9}) {
        SCOPED_TRACE(testing::Message() << seed << (owns ? " body " : " ground ") << along);
        const Skidding scene(seed, owns, along, 0.3);
        const Found now(scene.motion);
        const LawBlock& block = now.contact();
        const auto pair = [&](double own) { return std::sqrt(own * scene.other); };
        const double ahead = pair(scene.grain().forward), back = pair(scene.grain().backward);
        const double wanted = along > 0.1 ? ahead : along < -0.1 ? back : 0.5 * (ahead + back);
        EXPECT_NEAR(block.across.friction[0], wanted, 1e-15);
        EXPECT_NEAR(block.across.friction[1], pair(scene.grain().sideways), 1e-15);
        EXPECT_EQ(block.across.shift, 0) << "what slips has one half of an ellipse or the other";
        // Its row is positive where the owner goes forward, whichever of the two bodies that is.
        EXPECT_NEAR(now.speed(block, 1), along, 1e-12);
        const Vec3 axis = now.laws.tangents(block)[0];
        EXPECT_NEAR(std::abs(dot(axis, scene.forward)), 1, 1e-14);
        EXPECT_NEAR(dot(cross(now.touch().normal, axis), now.laws.tangents(block)[1]), 1, 1e-14);
      }
}

// At rest anything between the two halves may be: pushed forward by at most `back` of the normal force, backward by at most `ahead`.
TEST(Laws, friction_with_a_grain_at_rest_pushes_forward_as_hard_as_it_would_slipping_backward) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const bool owns : {true, false}) {
      SCOPED_TRACE(testing::Message() << seed << (owns ? " body" : " ground"));
      const Skidding scene(seed, owns, 0, 0);
      const Found now(scene.motion);
      const LawBlock& block = now.contact();
      const auto pair = [&](double own) { return std::sqrt(own * scene.other); };
      const auto pushed = [&](double part) {  // of the owner, forward, a unit of normal force
        std::vector<BodyVector> f(1);
        add_forces(now.laws.rows(), std::vector<double>{1, part * block.across.friction[0], 0}, 0, f);
        EXPECT_NEAR(f[0].linear.z, 1, 1e-14);
        return (owns ? 1 : -1) * dot(f[0].linear, scene.forward);
      };
      EXPECT_NEAR(pushed(1), pair(scene.grain().backward), 1e-14);
      EXPECT_NEAR(pushed(-1), -pair(scene.grain().forward), 1e-14);
      EXPECT_TRUE(now.laws.rows().row(block).is_oblique());
    }
}

// A ball of 0.3 m over the floor, turning about anything: what rolls turns about an axis of the floor, what spins about its normal.
TEST(Laws, rolling_and_torsional_friction_are_the_turning_across_and_about_the_normal) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const bool kept : {false, true}) {
      Random random(seed);
      RandomMotion motion;
      Material rubber, felt;
      rubber.rolling = 0.02, rubber.torsion = 0.01, felt.rolling = 0.01, felt.torsion = 0.03;
      motion.model.materials = {rubber, felt};
      add_shaped(motion, BodyKind::rigid, Sphere{0.3}, random, 1);
      add_shaped(motion, BodyKind::rigid, Sphere{0.2}, random, 0);
      motion.state.bodies[0].position = {0.1, -0.2, 0.3};
      motion.state.bodies[1].position = {0.3, 0.1, 0.67};
      Found now(motion);
      if (kept) {
        now.laws.keep_rolling_axes();
        now.laws.find(now.kinematics);
      }
      const LawRows& rows = now.laws.rows();
      ASSERT_EQ(rows.blocks.size(), 4U);
      const LawBlock& contact = rows.blocks[0];
      const Vec3 n = now.laws.contacts()[0].normal;
      const Vec3 w = now.state.bodies[0].angular_velocity - now.state.bodies[1].angular_velocity;
      const Vec3 across = w - dot(w, n) * n;
      std::set<std::uint64_t> keys{contact.key};
      for (std::size_t i = 1; i < 4; ++i) {
        const LawBlock& turn = rows.blocks[i];
        EXPECT_EQ(turn.kind, LawKind::turn);
        EXPECT_EQ(turn.turn.parent, contact.key);
        EXPECT_EQ(turn.turn.lever, i == 1 ? 0.03 : 0.02) << "the larger of the pair's";
        EXPECT_EQ(norm(rows.row(turn).a.linear) + norm(rows.row(turn).b.linear), 0);
        keys.insert(turn.key);
      }
      EXPECT_EQ(keys.size(), 4U);
      EXPECT_NEAR(now.speed(rows.blocks[1]), dot(w, n), 1e-14);
      const double first = now.speed(rows.blocks[2]), second = now.speed(rows.blocks[3]);
      EXPECT_NEAR(std::hypot(first, second), norm(across), 1e-14) << "two axes at right angles";
      const double wanted = kept ? dot(now.laws.tangents(contact)[0], w) : norm(across);
      EXPECT_NEAR(first, wanted, 1e-14) << "else it turns about the first alone";
    }
}

TEST(Laws, a_disc_in_the_plane_touches_in_two_rows_and_rolls_about_the_third_axis) {
  Random random(3);
  RandomMotion motion;
  Material rubber;
  rubber.rolling = 0.02, rubber.torsion = 0.01;
  motion.model.materials = {rubber};
  add_shaped(motion, BodyKind::planar, Sphere{0.3}, random);
  add_shaped(motion, BodyKind::planar, Sphere{0.2}, random);
  motion.state.bodies[0].position = {0.1, -0.2, 0};
  motion.state.bodies[1].position = {0.4, 0.25, 0};
  const Found now(motion);
  const LawRows& rows = now.laws.rows();
  ASSERT_EQ(rows.blocks.size(), 2U);
  const Contact& c = now.laws.contacts()[0];
  const LawBlock &contact = rows.blocks[0], &turn = rows.blocks[1];
  EXPECT_EQ(contact.size, 2);
  const Vec3 slip = now.slip(c), tangent = now.laws.tangents(contact)[0];
  EXPECT_NEAR(norm(tangent), 1, 1e-15);
  EXPECT_NEAR(dot(tangent, c.normal), 0, 1e-15);
  EXPECT_NEAR(now.speed(contact, 0), dot(c.normal, slip), 1e-14);
  EXPECT_NEAR(now.speed(contact, 1), dot(tangent, slip), 1e-14);
  EXPECT_NEAR(now.speed(turn), now.state.bodies[0].angular_velocity.z - now.state.bodies[1].angular_velocity.z, 1e-15);
}

TEST(Laws, contacts_are_searched_for_once_a_set_of_positions) {
  RandomMotion motion = near_pair(Sphere{0.3}, Capsule{0.2, 0.5}, 4);
  Found now(motion);
  EXPECT_EQ(now.laws.searches(), 1);
  const double before = now.speed(now.contact());
  for (BodyState& s : now.state.bodies) s.velocity = 2.0 * s.velocity, s.angular_velocity = 2.0 * s.angular_velocity;
  now.kinematics.update(motion.model, now.state);
  now.laws.find(now.kinematics);
  EXPECT_EQ(now.laws.searches(), 1);
  EXPECT_NEAR(now.speed(now.contact()), 2 * before, 1e-14) << "the rows follow the velocities";
  now.state.bodies[1].position.x += 1e-9;
  now.kinematics.update(motion.model, now.state);
  now.laws.find(now.kinematics);
  EXPECT_EQ(now.laws.searches(), 2);
  now.laws.find(now.kinematics, 0.1);
  EXPECT_EQ(now.laws.searches(), 3) << "a look ahead may find more";
}

TEST(Laws, contacts_and_limits_give_way_only_where_that_is_asked_for) {
  Random random(5);
  RandomMotion motion;
  Material rubber;
  rubber.compliance = 2e-4, rubber.relaxation = 0.01, rubber.creep = 3e-3;
  motion.model.materials = {rubber};
  add_shaped(motion, BodyKind::rigid, Sphere{0.3}, random);
  add_floor(motion, Plane{{0, 0, 1}, 0});
  motion.state.bodies[0].position.z = 0.28;
  Found now(motion);
  EXPECT_TRUE(is_unilateral(now.contact()));
  EXPECT_EQ(now.contact().across.creep, 0);
  now.laws.let_give_way();
  now.laws.find(now.kinematics);
  EXPECT_FALSE(is_unilateral(now.contact()));
  EXPECT_TRUE(is_spring_row(now.contact(), 0) && !is_spring_row(now.contact(), 1));
  EXPECT_NEAR(now.contact().spring.compliance, 4e-4, 1e-18) << "two springs in a row";
  EXPECT_NEAR(now.contact().across.creep, 6e-3, 1e-17);
}

TEST(Laws, bodies_that_rest_have_no_laws_among_themselves_but_with_what_moves) {
  Random random(6);
  RandomMotion motion;
  for (int i = 0; i < 3; ++i) {
    add_shaped(motion, BodyKind::rigid, Sphere{0.3}, random);
    motion.state.bodies[static_cast<std::size_t>(i)].position = {0.58 * i, 0.1 * i, 0.29};
  }
  add_floor(motion, Plane{{0, 0, 1}, 0});
  Found now(motion.model, motion.state, 0.05);
  const auto pairs = [&] {
    std::multiset<std::pair<int, int>> out;
    for (const Contact& c : now.laws.contacts()) out.emplace(c.a.value(), c.b.value());
    return out;
  };
  const std::multiset<std::pair<int, int>> all{{0, -1}, {0, 1}, {1, -1}, {1, 2}, {2, -1}};
  EXPECT_EQ(pairs(), all);
  now.laws.leave_out({1, 1, 0});
  now.laws.find(now.kinematics);
  EXPECT_EQ(pairs(), (std::multiset<std::pair<int, int>>{{1, 2}, {2, -1}}));
  now.laws.leave_out({});
  now.laws.find(now.kinematics);
  EXPECT_EQ(pairs(), all);
}

// Every joint is held by a row or by a law, and no coordinate by both.
TEST(Laws, what_laws_take_out_of_the_joints_they_hold_themselves) {
  const Vec3 axis{0.3, 0.5, 0.8};
  const auto joint = [&](const char* name, JointKind kind, const Vec3& at, const JointExtras& extras) {
    JointSpec spec{.name = name, .kind = kind, .between = {"ground", "body"}};
    if (kind == JointKind::distance) spec.anchors = {Vec3{at}, Vec3{0.2, 0.1, 0.4}};
    else spec.anchor = at, spec.axis = axis;
    spec.extras = extras;
    return spec;
  };
  JointExtras strong, weak, soft, rope;
  strong.motor = Motor{Constant{0.3}, {}};
  weak.motor = Motor{Constant{0.3}, 2.0};
  soft.compliance = 1e-3;
  rope.limits = Limits{0.1, 2.0};
  const struct {
    JointSpec spec;
    int rows, laws;
  } cases[] = {{joint("strong", JointKind::hinge, {0.1, 0.2, 0}, strong), 6, 0},
               {joint("weak", JointKind::hinge, {0.1, 0.2, 0}, weak), 5, 1},
               {joint("soft", JointKind::hinge, {0.1, 0.2, 0}, soft), 0, 5},
               {joint("rope", JointKind::distance, {0.9, -0.2, 1.1}, rope), 0, 2}};
  for (const auto& [spec, rows, laws] : cases) {
    SCOPED_TRACE(spec.name);
    const BuiltModel built = ModelBuilder{}
                                 .body({.name = "body",
                                        .mass = 1.2,
                                        .inertia = Sym3::diagonal(0.1, 0.2, 0.25),
                                        .position = {0.3, 0.1, 0.2},
                                        .orientation = exp_rotation(Vec3{0.4, 0.2, -0.5})})
                                 .joint(spec)
                                 .build();
    const Model lawless = without_lawful_joints(built.model);
    EXPECT_EQ(row_count(lawless, lawless.joints[0]), rows);
    Kinematics kinematics(built.model);
    kinematics.update(built.model, built.initial);
    Laws found(built.model, kinematics, 0.01);
    found.find(kinematics);
    EXPECT_EQ(static_cast<int>(found.rows().rows.size()), laws);
    EXPECT_EQ(&LawlessModel(built.model, false).lawless, &built.model);
    EXPECT_EQ(&LawlessModel(built.model).lawless == &built.model, laws == 0)
        << "no second copy where nothing is taken out";
  }
}

// Rows appended to others keep what few rows have: K and the parts on forms.
TEST(LawRows, a_block_that_is_appended_pushes_as_it_did_where_it_was) {
  const Skidding scene(2, true, 0, 0);
  const Found now(scene.motion);
  const RandomMotion other = near_pair(Sphere{0.3}, Sphere{0.4}, 8);
  const Found first(other);
  LawRows all;
  append(first.laws.rows(), first.contact(), all);
  const LawBlock& block = append(now.laws.rows(), now.contact(), all);
  EXPECT_EQ(block.first, 3);
  for (int i = 0; i < 3; ++i) {
    std::vector<BodyVector> here(2), there(2);
    add_force(all, block, all.row(block, i), 1.3, here);
    add_force(now.laws.rows(), now.contact(), now.laws.rows().row(now.contact(), i), 1.3, there);
    EXPECT_EQ(norm(here[0].linear - there[0].linear) + norm(here[0].angular - there[0].angular), 0);
    EXPECT_GT(norm(here[0].linear), 1);
  }
}

TEST(LawRows, rolling_is_offered_only_where_its_contact_was_taken) {
  LawRows rows;
  for (const std::uint64_t key : {10U, 20U, 30U}) {
    LawBlock contact, turn;
    contact.key = key;
    turn.kind = LawKind::turn;
    turn.key = key + 2, turn.turn.parent = key;
    rows.blocks.insert(rows.blocks.end(), {contact, turn});
  }
  std::vector<std::uint64_t> offered;
  for_each_law(rows, [&](const LawBlock& block) {
    offered.push_back(block.key);
    return block.key != 20;
  });
  EXPECT_THAT(offered, testing::ElementsAre(10, 12, 20, 30, 32));
}

}  // namespace laws_test
}  // namespace catena
