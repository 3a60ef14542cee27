// Robot files against MuJoCo: numbers in tests/data/robots/*.oracle.json, written by oracle.mjs there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catena/import/import.h"
#include "catena/import/robot.h"
#include "catena/primary/reduced_dynamics.h"
#include "source_dir.h"

namespace catena {
namespace oracle_test {

using nlohmann::json;
using Kind = RobotJoint::Kind;

const std::string kFolder = source_dir() + "/tests/data/robots/";

// MuJoCo's numbers are exact to rounding times the condition of what it computes; files have seven digits or more.
constexpr double kTolerance = 1e-8;

class Oracle : public ::testing::TestWithParam<std::string> {
 protected:
  Oracle()
      : tree_(load_xml(kFolder + GetParam(), "include")),
        built_(read_robot(tree_, kFolder, {.missing_meshes = true})),
        oracle_(json::parse(std::ifstream(kFolder + GetParam() + ".oracle.json"))) {}

  XmlTree tree_;
  BuiltRobot built_;
  json oracle_;
};

Vec3 vector(const json& x) { return {x[0], x[1], x[2]}; }

TEST_P(Oracle, masses_and_places_are_MuJoCos) {
  ASSERT_EQ(built_.n_q, oracle_["nq"].get<int>());
  ASSERT_EQ(built_.n_v, oracle_["nv"].get<int>());
  // MJCF bodies in order, links by name: URDF's base, welded to the world, has no body there.
  int met = 0;
  const bool in_order = GetParam().ends_with(".xml");
  std::size_t number = 0;
  for (const json& body : oracle_["bodies"]) {
    ++number;
    for (std::size_t i = 0; i < built_.robot.bodies.size(); ++i) {
      const RobotBody& own = built_.robot.bodies[i];
      if (in_order ? i != number : own.name != body["name"].get<std::string>()) continue;
      ++met;
      SCOPED_TRACE(own.name);
      EXPECT_LE(norm(built_.world[i].p - vector(body["position"])), kTolerance);
      if (own.joints.empty() && own.parent < 1) continue;
      EXPECT_NEAR(own.inertial.mass, body["mass"].get<double>(), kTolerance * (1 + own.inertial.mass));
      if (own.inertial.mass == 0) continue;
      EXPECT_LE(norm(built_.world[i](own.inertial.centre) - vector(body["centre"])), kTolerance);
      const Sym3& I = own.inertial.inertia;
      Eigen::Matrix3d matrix;
      matrix << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
      Eigen::Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix).eigenvalues();
      std::vector<double> wanted = body["inertia"].get<std::vector<double>>();
      std::sort(wanted.begin(), wanted.end());
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(moments[k], wanted[static_cast<std::size_t>(k)], kTolerance * (1e-3 + moments[2]));
    }
  }
  EXPECT_GT(met, 0);
}

TEST_P(Oracle, joints_have_MuJoCos_axes_anchors_and_numbers) {
  ASSERT_EQ(built_.joints.size(), oracle_["joints"].size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < built_.robot.bodies.size(); ++i) {
    for (const RobotJoint& own : built_.robot.bodies[i].joints) {
      const json& joint = oracle_["joints"][next++];
      SCOPED_TRACE(own.name);
      if (own.kind == Kind::free) continue;
      EXPECT_LE(norm(built_.world[i](own.anchor) - vector(joint["anchor"])), kTolerance);
      if (own.kind != Kind::ball) {
        EXPECT_LE(norm(rotate(built_.world[i].q, own.axis) - vector(joint["axis"])), kTolerance);
      }
      EXPECT_NEAR(own.armature, joint["armature"].get<double>(), kTolerance);
      EXPECT_NEAR(own.damping, joint["damping"].get<double>(), kTolerance);
      EXPECT_NEAR(own.stiffness, joint["stiffness"].get<double>(), kTolerance);
      if (own.limits && own.kind != Kind::ball) {
        EXPECT_NEAR(own.limits->lower, joint["range"][0].get<double>(), kTolerance);
        EXPECT_NEAR(own.limits->upper, joint["range"][1].get<double>(), kTolerance);
      }
    }
  }
}

// The rates of catena's coordinates by those of the file, v = S v_file, and what S changes by, Ṡ v_file.
struct Rates {
  Eigen::MatrixXd S;
  Eigen::VectorXd bias;
};

Rates rates_of(const BuiltRobot& built, const ReducedModel& reduced, const std::vector<BodyState>& bodies,
               const std::vector<double>& v) {
  const Model& model = built.scene.model;
  Rates out{Eigen::MatrixXd::Zero(reduced.n_v(), built.n_v), Eigen::VectorXd::Zero(reduced.n_v())};
  for (const FileJoint& file : built.joints) {
    const ReducedNode* node = nullptr;
    for (const ReducedNode& n : reduced.nodes())
      if (n.body == file.body) node = &n;
    const Mat3 R = to_matrix(bodies[file.body].orientation);
    const auto column = [&](int k) { return v[static_cast<std::size_t>(file.v + k)]; };
    if (file.kind == Kind::free) {
      const Vec3 c = -(R * model.bodies[file.body].origin), w = R * Vec3{column(3), column(4), column(5)};
      for (int k = 0; k < 3; ++k) {
        out.S(node->v + k, file.v + k) = 1;
        const Vec3 axis = R.column(k), arm = cross(axis, c);
        for (int i = 0; i < 3; ++i) {
          out.S(node->v + i, file.v + 3 + k) = arm[i];
          out.S(node->v + 3 + i, file.v + 3 + k) = axis[i];
        }
        out.bias[node->v + k] = cross(w, cross(w, c))[k];
      }
    } else if (file.kind == Kind::ball) {
      const Joint& joint = model.joints[file.joint];
      const Quat a = joint.a.valid() ? bodies[joint.a].orientation : Quat{};
      const Mat3 T = transpose(to_matrix(normalized(a * joint.frame_a))) * R;
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) out.S(node->v + i, file.v + k) = T(i, k);
    } else {
      out.S(node->v + file.coordinate, file.v) = 1;
    }
  }
  return out;
}

TEST_P(Oracle, mass_matrix_bias_forces_and_accelerations_are_MuJoCos_at_random_states) {
  const Model& model = built_.scene.model;
  const ReducedModel reduced(model);
  ASSERT_EQ(reduced.n_v(), built_.n_v);
  ReducedSystem system(reduced);
  Kinematics kinematics(model);
  Eigen::VectorXd armature = Eigen::VectorXd::Zero(built_.n_v);
  for (const FileJoint& file : built_.joints)
    for (int k = 0; k < (file.kind == Kind::ball ? 3 : 1); ++k) armature[file.v + k] = file.armature;
  double worst_M = 0, worst_bias = 0, worst_acceleration = 0;
  for (const json& at : oracle_["states"]) {
    const std::vector<double> q = at["qpos"], v = at["qvel"], bias = at["bias"], qacc = at["qacc"], lower = at["M"];
    State state;
    place_robot(built_, q, v, state.bodies, state.joint_angles);
    kinematics.update(model, state);
    JointState joints;
    reduced.read(kinematics, joints);
    system.update(joints);
    const Rates rates = rates_of(built_, reduced, state.bodies, v);
    const Eigen::MatrixXd own = mass_matrix(system);
    Eigen::MatrixXd M = rates.S.transpose() * own * rates.S;
    M.diagonal() += armature;
    std::vector<double> zero(joints.v.size()), C(zero.size());
    inverse_dynamics(system, zero, {}, model.gravity, C);
    const Eigen::VectorXd c =
        rates.S.transpose() * (Eigen::Map<Eigen::VectorXd>(C.data(), built_.n_v) + own * rates.bias);
    const Eigen::VectorXd a = -M.ldlt().solve(c);
    std::size_t next = 0;
    for (int i = 0; i < built_.n_v && !lower.empty(); ++i)
      for (int k = 0; k <= i; ++k)
        worst_M = std::max(worst_M, std::abs(M(i, k) - lower[next++]) / M.diagonal().maxCoeff());
    const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(bias.data(), built_.n_v),
                          w = Eigen::Map<const Eigen::VectorXd>(qacc.data(), built_.n_v);
    worst_bias = std::max(worst_bias, (c - b).lpNorm<Eigen::Infinity>() / (1 + b.lpNorm<Eigen::Infinity>()));
    worst_acceleration =
        std::max(worst_acceleration, (a - w).lpNorm<Eigen::Infinity>() / (1 + w.lpNorm<Eigen::Infinity>()));
  }
  RecordProperty("mass_matrix", fmt::format("{:.1e}", worst_M));
  fmt::print("{}: M {:.1e}, bias {:.1e}, accelerations {:.1e}\n", GetParam(), worst_M, worst_bias, worst_acceleration);
  EXPECT_LE(worst_M, kTolerance);
  EXPECT_LE(worst_bias, kTolerance);
  EXPECT_LE(worst_acceleration, kTolerance);
}

std::vector<std::string> files() {
  std::vector<std::string> out;
  constexpr std::string_view kEnding = ".oracle.json";
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kEnding)) out.push_back(name.substr(0, name.size() - kEnding.size()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Robots, Oracle, ::testing::ValuesIn(files()), [](const auto& of) {
  std::string name = of.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace oracle_test
}  // namespace catena
