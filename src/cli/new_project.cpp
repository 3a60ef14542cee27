// catena new: a folder to start in, with a commented scene, a Python script and a page that says what to type.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "catena/model/error.h"
#include "commands.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScene = R"(# A double pendulum with a motor in its shoulder, above a floor.
#
#   catena view scene.yaml                          live, in the browser
#   catena simulate scene.yaml --out run.html       one page that plays the run
#   catena explain scene.yaml                       which method runs, and why
#
# Units are SI unless one follows: 90 deg, 5 cm, 60 rpm. z is up.
catena: 1
name: @NAME@

# How to run it. The command line overrides these: --step, --duration, --method, --set bodies.hand.mass=2
simulate: {step: 1 ms, duration: 5 s}

# Bodies: mass and inertia come from density and shapes, or are given as mass and inertia.
# position is that of the centre of mass. Shapes are in the axes of the body; boxes have full side lengths.
bodies:
  arm:
    density: 700
    position: [0.25, 0, 1.2]
    shapes: [{box: [50 cm, 4 cm, 4 cm]}]
  hand:
    density: 700
    position: [0.70, 0, 1.2]
    shapes: [{capsule: {radius: 2 cm, length: 36 cm}, orientation: {axis: [0, 1, 0], angle: 90 deg}}]

# Joints: anchor and axis are in world coordinates at t = 0; angles count from there.
joints:
  shoulder:
    kind: hinge
    between: [ground, arm]
    anchor: [0, 0, 1.2]
    axis: [0, 1, 0]
    damping: 0.05                      # N m s/rad
  elbow:
    kind: hinge
    between: [arm, hand]
    anchor: [0.5, 0, 1.2]
    axis: [0, 1, 0]
    limits: {lower: -150 deg, upper: 150 deg}

# A servo swings the arm up and down: torque = kp (signal - angle) - kv rate, at most 30 N m either way.
actuators:
  - joint: shoulder
    kind: position
    kp: 60
    kv: 4
    limit: 30
    signal: {sine: {amplitude: 60 deg, frequency: 0.5, offset: 30 deg}}

# What bodies can touch. Without shapes here nothing is in their way.
ground:
  shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]
)";

constexpr const char* kScript = R"("""The scene beside this file, stepped from Python:   python3 run.py"""
from pathlib import Path

import catena

scene = catena.load(Path(__file__).with_name("scene.yaml"))
sim = catena.Simulation(scene)


def brake(sim):
    """Called before every step: a torque against the motion of the elbow."""
    sim.joint("elbow").tau = -0.2 * sim.joint("elbow").v


rec = sim.run(5.0, controller=brake)
print(f"{rec.status}: {len(rec)} samples; the hand ends at height {rec['hand.z'][-1]:.3f} m")
rec.save("run.csv")
)";

constexpr const char* kReadme = R"(# @NAME@

    catena view scene.yaml                        # live, in the browser
    catena simulate scene.yaml --out run.html     # one page that plays the run
    catena simulate scene.yaml --out run.csv      # numbers; .h5 for HDF5
    catena plot run.csv hand.z joint.elbow.q[0] --out run.svg
    python3 run.py                                # the same scene from Python, with a controller

`scene.yaml` is commented; `catena check scene.yaml` says what is wrong with it and where.
)";

std::string with_name(std::string text, const std::string& name) {
  for (std::size_t at = text.find("@NAME@"); at != std::string::npos; at = text.find("@NAME@"))
    text.replace(at, 6, name);
  return text;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw InputError(fmt::format("catena new: cannot write {}", file.string()));
  fmt::print("{}\n", file.string());
}

// Words, digits and a few marks: what needs no quotes in YAML and is a folder everywhere.
void check_name(const std::string& name) {
  const bool plain = !name.empty() &&
                     name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
                         std::string::npos &&
                     name.front() != '.' && name.front() != '-';
  if (!plain)
    throw InputError(fmt::format("catena new {}: a name has letters, digits, '_', '-' and '.', such as my-arm", name));
}

int run(const fs::path& folder) {
  const std::string name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  check_name(name);
  std::error_code error;
  if (fs::exists(folder, error) && !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw InputError(fmt::format("catena new {}: that is there already and not an empty folder; choose another name",
                                 folder.string()));
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("catena new {}: {}", folder.string(), error.message()));
  write(folder / "scene.yaml", with_name(kScene, name));
  write(folder / "run.py", kScript);
  write(folder / "README.md", with_name(kReadme, name));
  fmt::print("\nNext:  cd {}  and  catena view scene.yaml\n", folder.string());
  return kDone;
}

}  // namespace

Command add_new(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("new", "Make a folder to start in: a commented scene and a script");
  command->add_option("name", *folder, "Folder to make; its last part names the scene")->required();
  command->footer(R"(Examples:
  catena new my-arm          makes my-arm/scene.yaml, my-arm/run.py and my-arm/README.md)");
  return [folder] { return run(*folder); };
}

}  // namespace catena::cli
