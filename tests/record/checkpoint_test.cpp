#include "catena/record/checkpoint.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "catena/model/error.h"
#include "catena/model/fingerprint.h"
#include "catena/scene/scene.h"
#include "catena/simulation/simulation.h"
#include "record/temporary_file.h"

namespace catena {
namespace checkpoint_test {

using ::testing::HasSubstr;
using testing::TemporaryFile;

// A state with nothing zero and nothing equal.
State any_state() {
  double x = 0.1;
  const auto next = [&] { return x += 0.37; };
  const auto vec = [&] { return Vec3{next(), next(), next()}; };
  State s;
  s.time = next();
  for (int i = 0; i < 3; ++i) {
    const Quat q{0.5, 0.5, -0.5, 0.5};
    s.bodies.push_back({vec(), q, vec(), vec(), next(), next()});
    s.joint_angles.push_back({next(), next(), next()});
    s.q.push_back(next());
    s.qd.push_back(-next());
    s.impulses.push_back({0x123456789abcdef0ULL + static_cast<std::uint64_t>(i), {next(), next(), next()}});
  }
  s.next_step = next();
  s.activation = {next(), next()};
  s.ledger = {next(), next(), next(), next(), next(), next()};
  return s;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string error_of(const std::string& bytes) {
  try {
    parse_checkpoint(bytes, "x.state");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Checkpoint, EveryNumberOfAStateComesBack) {
  const TemporaryFile file(".state"), again(".again");
  Checkpoint out{42, {}, any_state()};
  out.settings.method = Method::spook;
  out.settings.method.change({.law_solver = LawSolver::cone});
  out.settings.step = 1.0 / 3;
  out.settings.seed = ~std::uint64_t{0};
  write_checkpoint(file.path(), out);
  const Checkpoint in = read_checkpoint(file.path());
  EXPECT_EQ(in.model, 42u);
  EXPECT_EQ(difference(in.settings, out.settings), "");
  EXPECT_EQ(in.settings.seed, out.settings.seed);
  EXPECT_EQ(in.state.time, out.state.time);
  EXPECT_EQ(in.state.bodies[2].angular_velocity, out.state.bodies[2].angular_velocity);
  EXPECT_EQ(in.state.impulses[1].key, out.state.impulses[1].key);
  EXPECT_EQ(in.state.ledger.projection, out.state.ledger.projection);
  // And all the rest: what is read writes the same bytes.
  write_checkpoint(again.path(), in);
  EXPECT_EQ(bytes_of(file.path()), bytes_of(again.path()));
}

TEST(Checkpoint, WhatIsDamagedOrElsewhereIsRefused) {
  const TemporaryFile file(".state");
  write_checkpoint(file.path(), {42, {}, any_state()});
  const std::string good = bytes_of(file.path());
  EXPECT_EQ(error_of(good), "no error");
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    EXPECT_NE(error_of(bad), "no error") << "byte " << i;
    EXPECT_NE(error_of(good.substr(0, i)), "no error") << "cut after " << i;
  }
  EXPECT_THAT(error_of("name: scene\n"), HasSubstr("is not a checkpoint"));
  EXPECT_THROW(read_checkpoint("/nowhere.state"), InputError);
  EXPECT_THROW(read_checkpoint("/dev/zero"), InputError);
}

TEST(Checkpoint, AStateThatIsNotFiniteIsRefused) {
  const TemporaryFile file(".state");
  for (int i = 0; i < 4; ++i) {
    State state = any_state();
    if (i == 0) state.bodies[1].velocity.y = NAN;
    if (i == 1) state.bodies[0].orientation = {0, 0, 0, 0};
    if (i == 2) state.time = INFINITY;
    if (i == 3) state.impulses[0].z[2] = NAN;
    write_checkpoint(file.path(), {1, {}, state});
    EXPECT_THROW(read_checkpoint(file.path()), InputError) << i;
  }
}

TEST(Checkpoint, ADiskThatRefusesLeavesTheOldOne) {
  const TemporaryFile file(".state");
  write_checkpoint(file.path(), {1, {}, any_state()});
  EXPECT_THROW(write_checkpoint("/nowhere/x.state", {2, {}, any_state()}), std::runtime_error);
  std::filesystem::path beside = file.path();
  beside += ".part";
  std::filesystem::create_symlink("/dev/full", beside);
  EXPECT_THROW(write_checkpoint(file.path(), {2, {}, any_state()}), std::runtime_error);
  std::filesystem::remove(beside);
  EXPECT_EQ(read_checkpoint(file.path()).model, 1u);
}

TEST(Checkpoint, SettingsThatDecideAboutTheMotionAreCompared) {
  const Settings a;
  Settings b = a;
  b.duration = 99, b.sample = 7, b.threads = 3;
  EXPECT_EQ(difference(a, b), "");
  b.step = 0.25;
  EXPECT_EQ(difference(a, b), "step 0.001 and 0.25");
  b = a;
  b.method.change({.integrator = Integrator::euler});
  EXPECT_THAT(difference(a, b), HasSubstr("integrator"));
}

constexpr const char* kScene = R"(
simulate: {step: 1e-3}
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.3, 0, 1], angular_velocity: [1, 2, 3], shapes: [{sphere: 0.2}]}
  b: {mass: 2, inertia: 0.1, position: [0.3, 0, 2]}
joints: {j: {kind: ball, between: [a, b], anchor: [0.3, 0, 1.5]}}
ground: {shapes: [{plane: {}}]}
)";

TEST(Fingerprint, IsThatOfTheModelNotOfItsText) {
  const std::uint64_t plain = fingerprint(load_text(kScene));
  EXPECT_EQ(fingerprint(load_text("# a comment\n" + std::string(kScene))), plain);
  EXPECT_EQ(fingerprint(load_text(kScene, "scene", ".", {"simulate.step=2e-3"})), plain);
  EXPECT_EQ(fingerprint(load_text(kScene, "scene", ".", {"bodies.b.mass=2"})), plain);
  for (const std::string change :
       {"bodies.b.mass=3", "joints.j.damping=1", "gravity=[0, 0, 0]", "defaults.friction=0.1",
        "bodies.a.shapes.0.sphere=0.3", "bodies.a.velocity=[0, 0, 1]"})
    EXPECT_NE(fingerprint(load_text(kScene, "scene", ".", {change})), plain) << change;
}

// Restoring is replaying: a run set aside at any step ends in the same bits as one that was not.
TEST(Checkpoint, ARunGoesOnWithTheSameBits) {
  const TemporaryFile file(".state"), end(".end");
  const Scene scene = load_text(kScene);
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    Simulation whole(scene, {.method = method}), first(scene, {.method = method}), second(scene, {.method = method});
    for (int i = 0; i < 300; ++i) whole.step();
    for (int i = 0; i < 123; ++i) first.step();
    write_checkpoint(file.path(), {1, first.settings(), first.state()});
    second.set_state(read_checkpoint(file.path()).state);
    for (int i = 123; i < 300; ++i) second.step();
    write_checkpoint(file.path(), {1, {}, whole.state()});
    write_checkpoint(end.path(), {1, {}, second.state()});
    EXPECT_EQ(bytes_of(file.path()), bytes_of(end.path())) << static_cast<int>(method);
  }
}

}  // namespace checkpoint_test
}  // namespace catena
