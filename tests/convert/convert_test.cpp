// load → save → load keeps the mass matrix and the bias forces, format by format, joint by joint.
#include "catena/convert/convert.h"

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "../../examples/cpp/stretching_body.h"
#include "catena/model/builder.h"
#include "catena/scene/scene.h"
#include "catena/simulation/joint_dynamics.h"
#include "source_dir.h"

namespace catena {
namespace convert_test {

namespace fs = std::filesystem;

// M, and h at the start with rates that depend on names alone, by the names of the rates: formats order joints in their own ways, and a
// joint of three hinges may be one joint or three.
struct Numbers {
  std::vector<std::string> names;
  Eigen::MatrixXd M;
  Eigen::VectorXd h;
};

double rate_of(const std::string& name) { return std::sin(static_cast<double>(std::hash<std::string>{}(name) % 1000)); }

Numbers numbers_of(const Scene& scene) {
  const Simulation simulation(scene);
  const Layout& layout = simulation.layout();
  Numbers out;
  out.names.resize(static_cast<std::size_t>(layout.n_v()));
  for (std::size_t i = 0; i < layout.floating().size(); ++i)
    for (int k = 0; k < layout.of_floating(i).n_v; ++k)
      out.names[static_cast<std::size_t>(layout.of_floating(i).v + k)] =
          fmt::format("{}:{}", scene.model.bodies[layout.floating()[i]].name, k);
  for (std::size_t j = 0; j < scene.model.joints.size(); ++j) {
    const Joint& joint = scene.model.joints[j];
    const Layout::Slot& slot = layout.of(JointId{j});
    for (int k = 0; k < slot.n_v && slot.v + k < layout.n_v(); ++k)
      out.names[static_cast<std::size_t>(slot.v + k)] = joint.kind == JointKind::compound
                                                          ? joint.freedoms[static_cast<std::size_t>(k)].name
                                                      : k == 0 ? joint.name
                                                               : fmt::format("{}_{}", joint.name, k);
  }
  JointDynamics dynamics(simulation);
  std::vector<double> v;
  for (const std::string& name : out.names) v.push_back(rate_of(name));
  dynamics.update({simulation.q().data(), static_cast<std::size_t>(layout.n_q())}, v);
  out.M = dynamics.mass_matrix();
  out.h = dynamics.bias();
  return out;
}

// Rounding of coordinates (1e-16 of the size) times the condition of the geometry: far below 1e-12.
void expect_same(const Scene& one, const Scene& two) {
  constexpr double tolerance = 1e-12;
  const Numbers a = numbers_of(one), b = numbers_of(two);
  ASSERT_EQ(a.names.size(), b.names.size());
  std::map<std::string, Eigen::Index> where;
  for (std::size_t i = 0; i < b.names.size(); ++i) where[b.names[i]] = static_cast<Eigen::Index>(i);
  const double scale = a.M.cwiseAbs().maxCoeff(), force = 1 + a.h.cwiseAbs().maxCoeff();
  double worst_M = 0, worst_h = 0;
  for (std::size_t i = 0; i < a.names.size(); ++i) {
    ASSERT_TRUE(where.contains(a.names[i])) << a.names[i];
    const Eigen::Index k = where[a.names[i]];
    worst_h = std::max(worst_h, std::abs(a.h[static_cast<Eigen::Index>(i)] - b.h[k]) / force);
    for (std::size_t j = 0; j < a.names.size(); ++j)
      worst_M = std::max(worst_M, std::abs(a.M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) -
                                           b.M(k, where[a.names[j]])) /
                                      scale);
  }
  EXPECT_LE(worst_M, tolerance);
  EXPECT_LE(worst_h, tolerance);
}

// Writes meshes into a folder of its own.
Scene again(const WrittenScene& written, const std::string& name) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("catena_convert_{}", ::getpid());
  fs::create_directories(folder);
  for (const WrittenScene::File& file : written.files) std::ofstream(folder / file.name) << file.text;
  const Scene scene = load_text(written.text, name, folder);
  fs::remove_all(folder);
  return scene;
}

std::vector<fs::path> files(const std::string& folder, std::initializer_list<const char*> endings) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/" + folder))
    for (const char* ending : endings)
      if (entry.path().extension() == ending && entry.path().stem() != "22_humanoids") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

Scene robot(const fs::path& file) { return load(file, {}, {.missing_meshes = true}); }

TEST(Convert, robots_keep_their_mass_matrix_and_bias_through_scene_files) {
  for (const fs::path& file : files("tests/data/robots", {".xml", ".urdf"})) {
    SCOPED_TRACE(file.filename());
    const Scene scene = robot(file);
    expect_same(scene, again(write_yaml(scene), "again.yaml"));
  }
}

TEST(Convert, robots_keep_their_mass_matrix_and_bias_through_MJCF) {
  for (const fs::path& file : files("tests/data/robots", {".xml", ".urdf"})) {
    SCOPED_TRACE(file.filename());
    if (file.stem() == "icub_reduced") continue;  // inertias that MJCF refuses
    const Scene scene = robot(file);
    expect_same(scene, again(write_mjcf(scene), "again.xml"));
  }
}

TEST(Convert, robots_keep_their_mass_matrix_and_bias_through_URDF) {
  for (const fs::path& file : files("tests/data/robots", {".xml", ".urdf"})) {
    SCOPED_TRACE(file.filename());
    Scene scene = robot(file);
    // What URDF has not: rotors, and gravity of its own.
    for (JointExtras& e : scene.model.extras) e.armature = {};
    for (Joint& joint : scene.model.joints)
      for (Freedom& f : joint.freedoms) f.armature = 0;
    scene.model.gravity = {0, 0, -9.81};
    expect_same(scene, again(write_urdf(scene), "again.urdf"));
  }
}

TEST(Convert, examples_keep_their_mass_matrix_and_bias_through_scene_files) {
  for (const fs::path& file : files("examples", {".yaml"})) {
    SCOPED_TRACE(file.filename());
    const Scene scene = load(file);
    if (const Layout layout(scene.model); layout.n_v() > 700 || !layout.is_jointed()) continue;
    expect_same(scene, again(write_yaml(scene), "again.yaml"));
  }
}

TEST(Convert, trees_keep_their_mass_matrix_and_bias_through_MJCF_and_URDF) {
  for (const char* name : {"pendulum.yaml"}) {
    SCOPED_TRACE(name);
    const Scene scene = load(fs::path(source_dir() + "/examples") / name);
    expect_same(scene, again(write_mjcf(scene), "again.xml"));
    expect_same(scene, again(write_urdf(scene), "again.urdf"));
  }
}

const char* const kMany = R"(
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.15, 0.01, 0.02, -0.01], position: [0, 0.1, -0.5], orientation: {rpy: [0.3, 1.5707963267948966, 0.2]}}
  b: {mass: 2, inertia: 0.1, position: [0.2, 0, -1.2], orientation: {rpy: [0.1, -0.4, 2]}}
  c: {mass: 1.5, inertia: [0.2, 0.1, 0.15], position: [0.4, 0.3, -1.5]}
joints:
  u: {kind: universal, between: [ground, a], anchor: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0], start: [0.1, 0.2]}
  y: {kind: cylindrical, between: [b, a], anchor: [0, 0, -1], axis: [0, 0.6, 0.8]}
  m: {kind: compound, between: [b, c], freedoms: [{hinge: [1, 0, 0], anchor: [0.3, 0, -1.2], name: m1, zero: 0.3},
      {hinge: [0, 1, 0], anchor: [0.3, 0.1, -1.2], name: m2, limits: {lower: -1, upper: 1}}, {slide: [0, 0, 1], name: m3, anchor: [0, 0, 0]}]}
)";

TEST(Convert, universal_cylindrical_reversed_and_compound_joints_are_chains_of_hinges_and_slides) {
  const Scene scene = load_text(kMany);
  expect_same(scene, again(write_yaml(scene), "again.yaml"));
  expect_same(scene, again(write_mjcf(scene), "again.xml"));
  expect_same(scene, again(write_urdf(scene), "again.urdf"));
}

TEST(Convert, what_a_format_cannot_say_is_in_the_ledger) {
  const Scene scene = load_text(R"(
gravity: [0, 0, -1.62]
bodies: {a: {mass: 1, inertia: 0.1, position: [0, 0, -0.5]}}
joints: {j: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], stiffness: 3, armature: 0.1, motor: {velocity: 1, max_force: 2}}}
springs: [{between: [ground, a], anchors: [[0, 0, 1], [0, 0, -1]], stiffness: 10}]
)");
  const auto lost = [&](const ImportLedger& ledger) {
    std::string out;
    for (const LedgerEntry& e : ledger)
      if (e.physics && e.what == Fate::ignored)
        out += e.element + (e.attribute.empty() ? "" : " " + e.attribute) + "; ";
    return out;
  };
  EXPECT_EQ(lost(write_yaml(scene).ledger), "");
  EXPECT_EQ(lost(write_mjcf(scene).ledger), "spring 0; joint 'j' motor; ");
  EXPECT_EQ(lost(write_urdf(scene).ledger),
            "joint 'j' stiffness; joint 'j' armature; spring 0; joint 'j' motor; gravity; ");
}

TEST(Convert, loops_of_balls_hinges_and_welds_are_closed_again) {
  const Scene scene = load_text(R"(
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0, 0]}
  b: {mass: 1, inertia: 0.1, position: [0.5, 0, 1]}
joints:
  one: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0]}
  two: {kind: hinge, between: [a, b], anchor: [1, 0, 0.5], axis: [0, 1, 0]}
  close: {kind: ball, between: [ground, b], anchor: [0, 0, 1], primary: no}
)");
  for (const Scene& back : {again(write_mjcf(scene), "again.xml"), again(write_urdf(scene), "again.urdf"),
                            again(write_yaml(scene), "again.yaml")}) {
    expect_same(scene, back);
    const Simulation simulation(back);
    EXPECT_EQ(JointDynamics(simulation).constraint_jacobian().rows(), 3);
  }
}

// Surfaces, switches, signals and soft materials through a scene file: the same model, to the last field but for rounding of frames.
TEST(Convert, surfaces_switches_and_soft_materials_survive_in_scene_files) {
  const Scene scene = load_text(R"(
simulate: {assembly_speed: 0.5, sweep_algorithm: monitored, sweep_order: symmetric, sweep_relaxation: 1.2, solver: gauss-seidel, tuning: {parts: {touching: 3e-9, reach: 5}, impulse: {fall: 11}}}
materials:
  rubber: {friction: 0.8, compliance: 1e-5, relaxation: 2 ms, creep: 3 mm/s/N}
bodies:
  a: {mass: 1, inertia: 0.1, position: [1, 0, 0]}
  b: {mass: 1, inertia: 0.1, position: [3, 0, 1], shapes: [{sphere: 0.1, material: rubber}]}
  p: {kind: particle, mass: 1, position: [0.5, 0, 0]}
joints:
  bead: {kind: point-on-surface, between: [ground, p], anchor: [0.5, 0, 0], surface: {torus: {radius: 0.4, tube: 0.1}}}
  field: {kind: point-on-surface, between: [a, b], anchor: [3, 0, 1], surface: {height_field: {spacing: 0.5, heights: [[0, 0, 0], [0, 1, 0], [0, 0, 2]]}, at: [3, 0, 0]}}
  roll: {kind: tangent-surfaces, between: [a, b], slides: yes, surfaces: [{ellipsoid: [1, 0.5, 0.4]}, {sphere: 0.3}]}
  latch: {kind: weld, between: [a, b], attach: {at: [0.5, 2], pose: keep}, detach: {at: 1, force: 30 N}}
  hand: {kind: ball, between: [ground, a], anchor: [1, 0, 0], moves: {x: {sine: {amplitude: 0.1, frequency: 2}}}}
)");
  const Scene back = again(write_yaml(scene), "again.yaml");
  EXPECT_EQ(changes(back.settings.tuning), changes(scene.settings.tuning));
  EXPECT_EQ(back.settings.tuning.impulse.fall, 11);
  ASSERT_EQ(back.model.joints.size(), scene.model.joints.size());
  for (const std::size_t j : {0, 1, 2}) {
    const Joint &one = scene.model.joints[j], &two = back.model.joints[j];
    ASSERT_TRUE(two.surfaces) << one.name;
    EXPECT_EQ(two.surfaces->first.kind, one.surfaces->first.kind);
    EXPECT_EQ(two.surfaces->first.size, one.surfaces->first.size);
    EXPECT_EQ(two.surfaces->first.heights, one.surfaces->first.heights);
    EXPECT_EQ(two.surfaces->slides, one.surfaces->slides);
    EXPECT_LT(norm(two.anchor_a - one.anchor_a) + norm(two.anchor_b - one.anchor_b), 1e-14);
  }
  const Switching &latch = *back.model.extras_of(back.model.joints[3]).switching,
                  &given = *scene.model.extras_of(scene.model.joints[3]).switching;
  EXPECT_EQ(latch.attach, given.attach);
  EXPECT_EQ(latch.detach, given.detach);
  EXPECT_EQ(latch.force, given.force);
  EXPECT_EQ(latch.pose, Switching::Pose::keep);
  EXPECT_FALSE(latch.attached);
  EXPECT_TRUE(back.model.extras_of(back.model.joints[4]).moves->shift[0].has_value());
  EXPECT_EQ(back.model.materials[1].compliance, 1e-5);
  EXPECT_EQ(back.model.materials[1].relaxation, 2e-3);
  EXPECT_EQ(back.model.materials[1].creep, 3e-3);
  EXPECT_EQ(back.settings.assembly_speed, 0.5);
  EXPECT_EQ(back.settings.method.sweeps().algorithm, SweepAlgorithm::monitored);
  EXPECT_EQ(back.settings.method.sweeps().order, SweepOrder::symmetric);
  EXPECT_EQ(back.settings.method.sweeps().relaxation, 1.2);
}

TEST(Convert, mimics_and_polynomials_survive) {
  const Scene scene = load_text(R"(
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0, 0]}
  b: {mass: 1, inertia: 0.1, position: [0.5, 0, 1]}
joints:
  one: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], start: 0.2}
  two: {kind: hinge, between: [ground, b], anchor: [0, 0, 1], axis: [0, 1, 0], start: 0.4}
  twice: {kind: coupling, coordinates: [{joint: two, polynomial: [0, 1]}, {joint: one, polynomial: [0, -2]}]}
)");
  const Eigen::MatrixXd G = JointDynamics(Simulation(scene)).constraint_jacobian();
  ASSERT_EQ(G.rows(), 1);
  for (const Scene& back : {again(write_mjcf(scene), "again.xml"), again(write_urdf(scene), "again.urdf"),
                            again(write_yaml(scene), "again.yaml")}) {
    expect_same(scene, back);
    const Eigen::MatrixXd other = JointDynamics(Simulation(back)).constraint_jacobian();
    ASSERT_EQ(other.rows(), 1);
    EXPECT_NEAR(std::abs(other(0, 0) / other(0, 1)), 2, 1e-12);
  }
}

// What a C++ class does no file can say.
TEST(Convert, a_body_with_a_form_is_refused_by_name) {
  const BuiltModel built =
      ModelBuilder{}
          .body({.name = "jelly",
                 .kind = BodyKind::formed,
                 .mass = 2.0,
                 .form = std::make_shared<StretchingBody>(StretchingBody::box(2.0, {0.2, 0.2, 0.4}, 8.0)),
                 .form_start = {1, 1, 1}})
          .build();
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  for (WrittenScene (*write)(const Scene&, const std::string&) : {write_yaml, write_mjcf, write_urdf}) {
    try {
      write(scene, "out");
      ADD_FAILURE() << "written";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("'jelly'"), std::string::npos) << error.what();
    }
  }
}

}  // namespace convert_test
}  // namespace catena
