// Flags that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/catena.h"
#include "catena/joints/constraint_system.h"

namespace catena::cli {

struct SceneFlags {
  std::string file;
  std::vector<std::string> sets;
  bool json = false, quiet = false;
  // Of robot files.
  bool floating = false, strict = false;
  std::vector<std::string> packages;  // NAME=DIR
  std::string softness = "rigid", missing_meshes = "fail", keyframe;
};
void add_scene_flags(CLI::App& command, SceneFlags& flags);
ImportOptions import_options(const SceneFlags& flags);
// The flags that words of import/import_words.h stand for.
void take_import_words(const std::vector<std::string>& words, SceneFlags& flags);

// A flag that takes a finite number, `least` or more, or more than `least`. `example` completes "…, such as".
enum class Least { at_least, more_than };
CLI::Validator number_check(const std::string& flag, Least least, double bound, const std::string& example);
CLI::Option* add_number(CLI::App& command, const std::string& flag, double& value, const std::string& help, Least least,
                        double bound, const std::string& example);

void add_duration_flag(CLI::App& command, double& duration);  // left as it is where not given

// Names of the examples that came with the program; none where they are not installed.
std::vector<std::string> example_names();

// Loads the scene; warnings, and in brief what became of a robot file, go to stderr unless --quiet. With --strict physics that was
// ignored is an error.
Scene load_scene(const SceneFlags& flags);

// The ledger of a robot file: [{file, line, element, attribute, what, why}…].
nlohmann::json ledger_json(const ImportLedger& ledger);
// Bodies as their users count them: one with a form has two blocks in a model.
inline std::size_t body_count(const Model& model) {
  return static_cast<std::size_t>(std::count_if(model.bodies.begin(), model.bodies.end(),
                                                [](const Body& body) { return body.kind != BodyKind::form; }));
}
inline nlohmann::json to_json(const Vec3& v) { return {v.x, v.y, v.z}; }

// Flags that choose method, step, integrator, solver: text as typed, "" where not given.
struct MethodFlags {
  std::string method, integrator, stabilise, solver, formulation, coordinates, contacts;
  std::string sweep_algorithm, sweep_order, sweep_friction, sleep;
  std::vector<std::string> tune;  // NAME=VALUE
  double step = 0, tolerance = 0, position_tolerance = 0, velocity_tolerance = 0;
  double sweep_relaxation = 0;
  int threads = 0, sweeps = 0;
  long seed = -1;
};
void add_method_flags(CLI::App& command, MethodFlags& flags);

// Puts what was typed over the scene's settings. Throws InputError naming the flag and what it takes.
void override_settings(const MethodFlags& flags, Settings& settings);

// Throws InputError when the step and the duration do not make a run.
void check_times(const Settings& settings);

void print_warnings(const Warnings& warnings, bool quiet);

// "1 body", "2 bodies".
std::string counted(std::size_t n, const char* one, const char* many);

// "joint 'a' row 2" for each dependent row.
std::string describe(const Model& model, const std::vector<RowName>& rows);

}  // namespace catena::cli
