// The kernels at the joint point against the dense KKT system of a small tree, for double, float and SIMD lanes.
#include "catena/primary/elimination.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <experimental/simd>
#include <random>
#include <vector>

namespace catena {
namespace elimination_test {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

// The numbers of one world: four bodies, 1 and 2 on 0, 3 on 1; body 0 on the ground.
constexpr int kBodies = 4;
constexpr int kParent[kBodies] = {-1, 0, 0, 1};

struct World {
  Vec3 arm[kBodies], arm_parent[kBodies], axis[kBodies];
  Spatial c[kBodies], f[kBodies];
  Sym6 M[kBodies];

  explicit World(unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto vector = [&] { return Vec3{uniform(engine), uniform(engine), uniform(engine)}; };
    for (int i = 0; i < kBodies; ++i) {
      arm[i] = 0.5 * vector();
      arm_parent[i] = 0.5 * vector();
      axis[i] = normalized(vector() + Vec3{0, 0, 2});
      c[i] = {vector(), vector()};
      f[i] = {vector(), vector()};
      const double m = 2 + uniform(engine);
      M[i] = {Sym3::diagonal(m, m, m), {}, {1 + 0.3 * uniform(engine), 1.2, 0.9, 0.1 * uniform(engine), 0.05, 0.02}};
    }
  }
};

enum class Kind { ball, hinge, weld, slider, screw, cylindrical, planar, spherical };
constexpr Kind kAll[] = {Kind::ball,  Kind::hinge,       Kind::weld,   Kind::slider,
                         Kind::screw, Kind::cylindrical, Kind::planar, Kind::spherical};

// The free directions F at the joint point, one in a column.
std::vector<Spatial> freedoms(Kind kind, const Vec3& a) {
  const Vec3 t = normalized(cross(a, Vec3{1, 0.2, 0})), s = cross(a, t);
  switch (kind) {
    case Kind::weld: return {};
    case Kind::hinge: return {{{}, a}};
    case Kind::slider: return {{a, {}}};
    case Kind::screw: return {{0.3 * a, a}};
    case Kind::cylindrical: return {{a, {}}, {{}, a}};
    case Kind::planar: return {{t, {}}, {s, {}}, {{}, a}};
    case Kind::ball:
    case Kind::spherical: break;
  }
  return {{{}, {1, 0, 0}}, {{}, {0, 1, 0}}, {{}, {0, 0, 1}}};
}

Vector6 dense(const Spatial& v) {
  Vector6 x;
  x << v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z;
  return x;
}
Matrix6 dense(const Sym6& D) {
  Matrix6 M;
  for (int k = 0; k < 6; ++k) {
    Spatial e{};
    (k < 3 ? e.linear[k] : e.angular[k - 3]) = 1;
    M.col(k) = dense(D * e);
  }
  return M;
}
Matrix6 shift(const Vec3& r) {  // motion at the point r away
  Matrix6 X;
  for (int k = 0; k < 6; ++k) {
    Spatial e{};
    (k < 3 ? e.linear[k] : e.angular[k - 3]) = 1;
    X.col(k) = dense(motion_at(e, r));
  }
  return X;
}

struct Answer {
  Vector6 y[kBodies], w[kBodies];  // motion of each body, wrench of its joint at the joint point
};

// P spans what F leaves: P X y − P X_p y_p = P c, wrench Pᵀλ.
Answer reference(Kind kind, const World& world) {
  std::vector<Eigen::MatrixXd> P;
  int rows = 0;
  for (int i = 0; i < kBodies; ++i) {
    const auto F = freedoms(kind, world.axis[i]);
    Eigen::MatrixXd free(6, static_cast<Eigen::Index>(F.size()));
    for (std::size_t k = 0; k < F.size(); ++k) free.col(static_cast<Eigen::Index>(k)) = dense(F[k]);
    const Eigen::MatrixXd Q =
        free.cols() > 0 ? Eigen::MatrixXd(free.householderQr().householderQ()) : Eigen::MatrixXd::Identity(6, 6);
    P.push_back(Q.rightCols(6 - free.cols()).transpose());
    rows += static_cast<int>(P.back().rows());
  }
  const int n = 6 * kBodies;
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n + rows, n + rows);
  Eigen::VectorXd rhs = Eigen::VectorXd::Zero(n + rows);
  for (int i = 0, row = n; i < kBodies; row += static_cast<int>(P[i].rows()), ++i) {
    const auto m = P[i].rows();
    H.block<6, 6>(6 * i, 6 * i) = dense(world.M[i]);
    rhs.segment<6>(6 * i) = dense(world.f[i]);
    H.block(row, 6 * i, m, 6) = P[i] * shift(world.arm[i]);
    if (kParent[i] >= 0) H.block(row, 6 * kParent[i], m, 6) = -P[i] * shift(world.arm_parent[i]);
    rhs.segment(row, m) = P[i] * dense(world.c[i]);
  }
  H.topRightCorner(n, rows) = -H.bottomLeftCorner(rows, n).transpose();
  const Eigen::VectorXd x = H.fullPivLu().solve(rhs);
  Answer out;
  for (int i = 0, row = n; i < kBodies; row += static_cast<int>(P[i].rows()), ++i) {
    out.y[i] = x.segment<6>(6 * i);
    out.w[i] = P[i].transpose() * x.segment(row, P[i].rows());
  }
  return out;
}

// Copies of the numbers on any Real; `lane` puts a world's number where it belongs.
template <class Real>
struct Lanes {
  std::vector<World> worlds;
  template <class Get>
  Real operator()(Get get) const {
    if constexpr (std::is_floating_point_v<Real>) {
      return static_cast<Real>(get(worlds[0]));
    } else {
      return Real([&](auto lane) { return static_cast<typename Real::value_type>(get(worlds[lane])); });
    }
  }
  template <class Get>
  Vec3T<Real> vec(Get get) const {
    return {(*this)([&](const World& w) { return get(w).x; }), (*this)([&](const World& w) { return get(w).y; }),
            (*this)([&](const World& w) { return get(w).z; })};
  }
  template <class Get>
  SpatialT<Real> spatial(Get get) const {
    return {vec([&](const World& w) { return get(w).linear; }), vec([&](const World& w) { return get(w).angular; })};
  }
  Sym3T<Real> sym(int i, Sym3 Sym6::*part) const {
    const auto number = [&](double Sym3::*p) { return (*this)([&](const World& w) { return w.M[i].*part.*p; }); };
    return {number(&Sym3::xx), number(&Sym3::yy), number(&Sym3::zz),
            number(&Sym3::xy), number(&Sym3::xz), number(&Sym3::yz)};
  }
};

template <class Real>
double number(const Real& x, std::size_t lane) {
  if constexpr (std::is_floating_point_v<Real>) {
    return static_cast<double>(x);
  } else {
    return static_cast<double>(x[lane]);
  }
}
template <class Real>
Spatial at_lane(const SpatialT<Real>& v, std::size_t l) {
  return {{number(v.linear.x, l), number(v.linear.y, l), number(v.linear.z, l)},
          {number(v.angular.x, l), number(v.angular.y, l), number(v.angular.z, l)}};
}

// One sweep up and one down with kernels of one kind; answers of all lanes.
template <class Real, class Joint, class Set>
std::vector<Answer> sweep(const Lanes<Real>& in, Set set) {
  Joint joint[kBodies];
  Sym6T<Real> D[kBodies];
  SpatialT<Real> y[kBodies], w[kBodies];
  for (int i = 0; i < kBodies; ++i) {
    joint[i].arm = in.vec([&](const World& world) { return world.arm[i]; });
    joint[i].arm_parent = in.vec([&](const World& world) { return world.arm_parent[i]; });
    set(joint[i], i);
    D[i] = {in.sym(i, &Sym6::A), {}, in.sym(i, &Sym6::C)};
    y[i] = in.spatial([&](const World& world) { return world.f[i]; });
  }
  for (int i = kBodies; i-- > 0;) {
    joint[i].eliminate(D[i]);
    if (kParent[i] >= 0) joint[i].add_to_parent(D[i], D[kParent[i]]);
  }
  for (int i = kBodies; i-- > 0;) {
    const SpatialT<Real> to_parent = joint[i].up(D[i], y[i]);
    if (kParent[i] >= 0) y[kParent[i]] += to_parent;
  }
  for (int i = 0; i < kBodies; ++i) {
    const SpatialT<Real> parent = kParent[i] >= 0 ? y[kParent[i]] : SpatialT<Real>{};
    if constexpr (std::is_same_v<Joint, BallJoint<Real>>) {
      w[i] = {joint[i].down(D[i], parent, y[i]), {}};
    } else {
      w[i] = joint[i].down(D[i], parent, y[i]);
    }
  }
  std::vector<Answer> out(in.worlds.size());
  for (std::size_t lane = 0; lane < out.size(); ++lane)
    for (int i = 0; i < kBodies; ++i) {
      out[lane].y[i] = dense(at_lane(y[i], lane));
      out[lane].w[i] = dense(at_lane(w[i], lane));
    }
  return out;
}

template <class Real>
std::vector<Answer> solve(Kind kind, const Lanes<Real>& in) {
  const auto c = [&](int i) { return in.spatial([&](const World& world) { return world.c[i]; }); };
  if (kind == Kind::ball) return sweep<Real, BallJoint<Real>>(in, [&](auto& joint, int i) { joint.c = c(i).linear; });
  if (kind == Kind::hinge)
    return sweep<Real, HingeJoint<Real>>(in, [&](auto& joint, int i) {
      joint.c = c(i);
      joint.axis = in.vec([&](const World& world) { return world.axis[i]; });
    });
  return sweep<Real, FreedomJoint<Real>>(in, [&](auto& joint, int i) {
    joint.c = c(i);
    joint.count = static_cast<int>(freedoms(kind, {0, 0, 1}).size());
    for (int k = 0; k < joint.count; ++k)
      joint.F[static_cast<std::size_t>(k)] =
          in.spatial([&](const World& world) { return freedoms(kind, world.axis[i])[static_cast<std::size_t>(k)]; });
  });
}

template <class Real>
void expect_answers(const Lanes<Real>& in, double tolerance) {
  for (const Kind kind : kAll) {
    const std::vector<Answer> got = solve(kind, in);
    for (std::size_t lane = 0; lane < got.size(); ++lane) {
      const Answer wanted = reference(kind, in.worlds[lane]);
      for (int i = 0; i < kBodies; ++i) {
        EXPECT_LE((got[lane].y[i] - wanted.y[i]).norm(), tolerance * (1 + wanted.y[i].norm()))
            << static_cast<int>(kind) << " body " << i;
        EXPECT_LE((got[lane].w[i] - wanted.w[i]).norm(), tolerance * (1 + wanted.w[i].norm()))
            << static_cast<int>(kind) << " joint " << i;
      }
    }
  }
}

TEST(Elimination, every_set_of_freedoms_is_solved_like_the_dense_system) {
  for (unsigned seed = 1; seed <= 20; ++seed) expect_answers(Lanes<double>{{World(seed)}}, 1e-11);
}

// 24 bits: seven digits less a factor for the condition.
TEST(Elimination, floats_get_what_floats_can) { expect_answers(Lanes<float>{{World(3)}}, 2e-4); }

TEST(Elimination, one_lane_is_one_world) {
  using Real = std::experimental::fixed_size_simd<double, 4>;
  expect_answers(Lanes<Real>{{World(11), World(12), World(13), World(14)}}, 1e-11);
}

TEST(Elimination, a_lane_has_the_bits_of_the_world_alone) {
  using Real = std::experimental::fixed_size_simd<double, 4>;
  const std::vector<World> worlds{World(21), World(22), World(23), World(24)};
  for (const Kind kind : kAll) {
    const std::vector<Answer> lanes = solve(kind, Lanes<Real>{worlds});
    for (std::size_t l = 0; l < worlds.size(); ++l) {
      const Answer alone = solve(kind, Lanes<double>{{worlds[l]}})[0];
      for (int i = 0; i < kBodies; ++i) {
        EXPECT_EQ(lanes[l].y[i], alone.y[i]);
        EXPECT_EQ(lanes[l].w[i], alone.w[i]);
      }
    }
  }
}

TEST(Elimination, a_free_direction_carries_no_force) {
  const Lanes<double> in{{World(5)}};
  for (const Kind kind : kAll) {
    const Answer answer = solve(kind, in)[0];
    for (int i = 0; i < kBodies; ++i)
      for (const Spatial& F : freedoms(kind, in.worlds[0].axis[i])) EXPECT_NEAR(dense(F).dot(answer.w[i]), 0, 1e-12);
  }
}

}  // namespace elimination_test
}  // namespace catena
