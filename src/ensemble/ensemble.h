// An ensemble: many runs of one scene with other values in it. Member i depends on the scene, the seed and i alone.
//
//   grid        every combination of the values of each path; the last path runs fastest
//   random      a value drawn for each member and path
//   member i    grid point i / runs, draw i; there are (grid points) · runs members
//
// A member of a scene in YAML is the scene with assignments, as by --set: `catena simulate SCENE --set …` runs it alone with the same bits,
// and any number of the file may be varied. Of robot files (MJCF, URDF) the parameters of batch/parameter.h may be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catena/ensemble/measure.h"
#include "catena/model/scene.h"

namespace catena {

struct GridAxis {
  std::string path;  // of the scene, such as bodies.rod.mass
  double from = 0, to = 0;
  long count = 1;  // evenly spaced, both ends included
};

enum class Distribution { uniform, normal, lognormal, loguniform };
struct RandomAxis {
  std::string path;
  Distribution distribution = Distribution::uniform;
  double a = 0, b = 1;  // (log)uniform: from, to; normal: mean, standard deviation; lognormal: those of the logarithm
};

// "PATH=a:b:n" and "PATH=normal(m,s)"; throw InputError that says what is expected.
GridAxis parse_grid(const std::string& text);
RandomAxis parse_random(const std::string& text);

struct EnsembleSpec {
  std::string scene;                // text, includes and --set put in; of a robot file what it says, to know it by
  std::string name;                 // of the file, for messages
  std::string folder;               // against which it names meshes
  std::string robot{};              // the path of a robot file; empty: the scene is the text above
  std::vector<std::string> sets{};  // simulate.…=VALUE, made in a robot file
  std::vector<GridAxis> grid{};
  std::vector<RandomAxis> random{};
  bool latin_hypercube =
      false;      // each random path has one draw in each of `runs` equally likely parts of its distribution
  long runs = 1;  // of each grid point
  std::uint64_t seed = 0;
  std::vector<std::string> measures{};
};

// Of a scene file, as load() takes it; what is varied is added by the caller.
EnsembleSpec spec_of_file(const std::filesystem::path& file, const std::vector<std::string>& sets);

// As one JSON object, and back. Throws InputError when the text is something else.
std::string to_json_text(const EnsembleSpec& spec);
EnsembleSpec spec_of(const std::string& json_text);

struct MemberResult {
  long member = 0;
  std::vector<double> parameters{};  // as Ensemble::paths()
  std::vector<double> measures{};    // NaN where the run gave none
  std::string status = "done";       // or diverged, singular, not converged; refused: the scene with its values is none
  std::string message{};             // where it is not done
  double time = 0;                   // s, reached
  long steps = 0;
  double residual = 0, drift = 0;        // worst of all steps
  double energy = 0, energy_change = 0;  // J: kinetic and potential at the end; since the start
  bool done() const { return status == "done"; }
};

// Each status a member may have; the number in table.h5 is its place here.
const std::vector<std::string>& member_statuses();

class Ensemble {
 public:
  // Patterns (joints.*.damping) become the paths they match, in the scene's order. Throws InputError where a path or a pattern fits nothing,
  // a measure is none, or there is no member.
  explicit Ensemble(EnsembleSpec spec);

  const EnsembleSpec& spec() const { return spec_; }  // patterns replaced
  long size() const { return size_; }                 // members
  const std::vector<std::string>& paths() const { return paths_; }

  std::vector<double> parameters(long member) const;
  std::vector<std::string> overrides(long member) const;  // PATH=VALUE, 17 digits where they are needed
  Scene scene(long member) const;

  // Runs a member to its end. Never throws for what the member does: that is its status. Any number of threads may call it.
  MemberResult run(long member) const;

 private:
  void expand_patterns();
  void check_paths() const;
  Scene scene_with(const std::vector<std::string>& paths, const std::vector<double>& values) const;

  EnsembleSpec spec_;
  std::optional<Scene> robot_;  // read once
  std::vector<std::string> paths_;
  std::vector<Measure> measures_;
  long size_ = 0;
};

}  // namespace catena
