#include "catena/ensemble/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catena/batch/parameter.h"
#include "catena/ensemble/random.h"
#include "catena/math/elementary.h"
#include "catena/model/validate.h"
#include "catena/scene/matching_paths.h"
#include "catena/scene/scene.h"
#include "catena/simulation/sample.h"

namespace catena {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<const char*, Distribution>, 4> kDistributions{
    {{"uniform", Distribution::uniform},
     {"normal", Distribution::normal},
     {"lognormal", Distribution::lognormal},
     {"loguniform", Distribution::loguniform}}};
constexpr double kMostMembers = 1e12;

// All numbers of "a:b:c" or "a,b".
std::vector<double> numbers(std::string_view text, char between, const std::string& whole, const char* due) {
  std::vector<double> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(between, begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    while (part.starts_with(' ') || part.starts_with('+')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    double number = 0;
    const auto [last, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc{} || last != part.data() + part.size() || !std::isfinite(number))
      throw InputError(fmt::format("{}: '{}' is no finite number; {}", whole, part, due));
    out.push_back(number);
    begin = end + 1;
  }
  return out;
}

std::size_t path_end(const std::string& text, const char* due) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) throw InputError(fmt::format("{}: {}", text, due));
  return equals;
}

void check(const RandomAxis& axis, const std::string& text) {
  const bool range = axis.distribution == Distribution::uniform || axis.distribution == Distribution::loguniform;
  if (range && !(axis.a <= axis.b)) throw InputError(fmt::format("{}: the first number is the smaller one", text));
  if (axis.distribution == Distribution::loguniform && !(axis.a > 0))
    throw InputError(fmt::format("{}: loguniform takes positive numbers", text));
  if (!range && !(axis.b >= 0)) throw InputError(fmt::format("{}: a spread is not negative", text));
}

// The value with the share p of the distribution below it.
double quantile(const RandomAxis& axis, double p) {
  switch (axis.distribution) {
    case Distribution::uniform: return axis.a + p * (axis.b - axis.a);
    case Distribution::normal: return axis.a + axis.b * normal_quantile(p);
    case Distribution::lognormal: return portable::exp(axis.a + axis.b * normal_quantile(p));
    case Distribution::loguniform: break;
  }
  const double low = portable::log(axis.a), high = portable::log(axis.b);
  return portable::exp(low + p * (high - low));
}

double value(const GridAxis& axis, long k) {
  if (axis.count == 1) return axis.from;
  const double part = static_cast<double>(k) / static_cast<double>(axis.count - 1);
  return k + 1 == axis.count ? axis.to : axis.from + part * (axis.to - axis.from);
}

const char* word_of(Distribution distribution) {
  for (const auto& [name, each] : kDistributions)
    if (each == distribution) return name;
  return "";
}

}  // namespace

GridAxis parse_grid(const std::string& text) {
  constexpr const char* kDue = "PATH=FROM:TO:COUNT is expected, such as bodies.rod.mass=1:2:11";
  const std::size_t equals = path_end(text, kDue);
  const std::vector<double> n = numbers(std::string_view(text).substr(equals + 1), ':', text, kDue);
  if (n.size() != 3 || n[2] < 1 || n[2] > 1e9 || n[2] != std::floor(n[2]))
    throw InputError(fmt::format("{}: {}", text, kDue));
  return {text.substr(0, equals), n[0], n[1], static_cast<long>(n[2])};
}

RandomAxis parse_random(const std::string& text) {
  constexpr const char* kDue =
      "PATH=uniform(FROM,TO), normal(MEAN,SPREAD), lognormal(MEAN,SPREAD of the logarithm) or loguniform(FROM,TO) is "
      "due";
  const std::size_t equals = path_end(text, kDue);
  const std::string call = text.substr(equals + 1);
  const std::size_t open = call.find('(');
  if (open == std::string::npos || !call.ends_with(')')) throw InputError(fmt::format("{}: {}", text, kDue));
  const std::vector<double> n =
      numbers(std::string_view(call).substr(open + 1, call.size() - open - 2), ',', text, kDue);
  for (const auto& [name, distribution] : kDistributions) {
    if (call.substr(0, open) != name || n.size() != 2) continue;
    RandomAxis axis{text.substr(0, equals), distribution, n[0], n[1]};
    check(axis, text);
    return axis;
  }
  throw InputError(fmt::format("{}: {}", text, kDue));
}

EnsembleSpec spec_of_file(const std::filesystem::path& file, const std::vector<std::string>& sets) {
  const Scene scene = load(file, sets);
  const std::filesystem::path whole = std::filesystem::absolute(file);
  EnsembleSpec spec{.scene = scene.source, .name = file.string(), .folder = whole.parent_path().string()};
  if (is_robot_file(file)) {
    spec.robot = whole.string();
    spec.sets = sets;
  }
  return spec;
}

std::string to_json_text(const EnsembleSpec& spec) {
  json grid = json::array(), random = json::array();
  for (const GridAxis& axis : spec.grid)
    grid.push_back({{"path", axis.path}, {"from", axis.from}, {"to", axis.to}, {"count", axis.count}});
  for (const RandomAxis& axis : spec.random)
    random.push_back({{"path", axis.path}, {"distribution", word_of(axis.distribution)}, {"a", axis.a}, {"b", axis.b}});
  return json{{"scene", spec.scene}, {"name", spec.name}, {"folder", spec.folder},
              {"grid", grid},        {"random", random},  {"latin_hypercube", spec.latin_hypercube},
              {"runs", spec.runs},   {"seed", spec.seed}, {"measures", spec.measures},
              {"robot", spec.robot}, {"sets", spec.sets}}
      .dump();
}

EnsembleSpec spec_of(const std::string& json_text) try {
  const json all = json::parse(json_text);
  EnsembleSpec spec{.scene = all.at("scene"), .name = all.at("name"), .folder = all.at("folder")};
  for (const json& axis : all.at("grid")) {
    if (axis.at("count").get<long>() < 1) throw InputError("the grid of an ensemble has no points");
    spec.grid.push_back({axis.at("path"), axis.at("from"), axis.at("to"), axis.at("count")});
  }
  for (const json& axis : all.at("random"))
    spec.random.push_back(parse_random(fmt::format("{}={}({},{})", axis.at("path").get<std::string>(),
                                                   axis.at("distribution").get<std::string>(),
                                                   axis.at("a").get<double>(), axis.at("b").get<double>())));
  spec.latin_hypercube = all.at("latin_hypercube");
  spec.runs = all.at("runs");
  spec.seed = all.at("seed");
  spec.measures = all.at("measures").get<std::vector<std::string>>();
  spec.robot = all.at("robot");
  spec.sets = all.at("sets").get<std::vector<std::string>>();
  return spec;
} catch (const json::exception& error) {
  throw InputError(fmt::format("this is no description of an ensemble: {}", error.what()));
}

Ensemble::Ensemble(EnsembleSpec spec) : spec_(std::move(spec)) {
  if (!spec_.robot.empty()) {
    robot_ = load(spec_.robot, spec_.sets);
    if (robot_->source != spec_.scene)
      throw InputError(fmt::format("{}: the file is no longer what it was", spec_.robot));
  }
  expand_patterns();
  if (spec_.runs < 1) throw InputError(fmt::format("{} runs: 1 or more are expected", spec_.runs));
  auto members = static_cast<double>(spec_.runs);
  for (const GridAxis& axis : spec_.grid) members *= static_cast<double>(axis.count);
  if (members > kMostMembers) throw InputError(fmt::format("{:.3g} members are too many", members));
  size_ = static_cast<long>(members);
  for (const GridAxis& axis : spec_.grid) paths_.push_back(axis.path);
  for (const RandomAxis& axis : spec_.random) paths_.push_back(axis.path);
  for (std::size_t i = 0; i < paths_.size(); ++i)
    if (std::find(paths_.begin(), paths_.begin() + static_cast<long>(i), paths_[i]) !=
        paths_.begin() + static_cast<long>(i))
      throw InputError(fmt::format("'{}' is varied twice", paths_[i]));
  check_paths();
  const Scene scene = scene_with({}, {});
  for (const std::string& text : spec_.measures) measures_.emplace_back(text, column_names(scene.model));
}

void Ensemble::expand_patterns() {
  const auto expand = [&](auto& axes) {
    auto given = std::move(axes);
    axes.clear();
    for (const auto& axis : given)
      for (const std::string& path : robot_ ? matching(parameter_paths(robot_->model), axis.path)
                                            : matching_paths(spec_.scene, spec_.name, spec_.folder, axis.path)) {
        axes.push_back(axis);
        axes.back().path = path;
      }
  };
  expand(spec_.grid);
  expand(spec_.random);
}

// Each path takes a number, by itself, at the middle of its values: else it is the ensemble that is wrong, not a member.
void Ensemble::check_paths() const {
  for (const GridAxis& axis : spec_.grid) scene_with({axis.path}, {value(axis, axis.count / 2)});
  for (const RandomAxis& axis : spec_.random) scene_with({axis.path}, {quantile(axis, 0.5)});
}

Scene Ensemble::scene_with(const std::vector<std::string>& paths, const std::vector<double>& values) const {
  if (!robot_) {
    std::vector<std::string> sets;
    for (std::size_t k = 0; k < paths.size(); ++k) sets.push_back(fmt::format("{}={}", paths[k], values[k]));
    return load_text(spec_.scene, spec_.name, spec_.folder, sets);
  }
  Scene scene = *robot_;
  for (std::size_t k = 0; k < paths.size(); ++k) set_parameter(scene.model, paths[k], values[k]);
  for (const Finding& finding : inspect(scene.model, scene.initial))
    if (finding.error) throw InputError(finding.message);
  return scene;
}

std::vector<double> Ensemble::parameters(long member) const {
  if (member < 0 || member >= size_)
    throw InputError(fmt::format("there is no member {}; the ensemble has 0 to {}", member, size_ - 1));
  std::vector<double> out(paths_.size());
  const long point = member / spec_.runs, draw = member % spec_.runs;
  long rest = point;
  for (std::size_t k = spec_.grid.size(); k-- > 0; rest /= spec_.grid[k].count)
    out[k] = value(spec_.grid[k], rest % spec_.grid[k].count);
  for (std::size_t k = 0; k < spec_.random.size(); ++k) {
    const auto parameter = static_cast<std::uint32_t>(k);
    double p = uniform_at({spec_.seed, static_cast<std::uint64_t>(member), parameter});
    if (spec_.latin_hypercube) {
      const auto part = permuted(static_cast<std::uint64_t>(draw), static_cast<std::uint64_t>(spec_.runs), spec_.seed,
                                 parameter, static_cast<std::uint32_t>(point));
      p = (static_cast<double>(part) + p) / static_cast<double>(spec_.runs);
      p = std::min(p, 1 - 0x1p-53);
    }
    out[spec_.grid.size() + k] = quantile(spec_.random[k], p);
  }
  return out;
}

std::vector<std::string> Ensemble::overrides(long member) const {
  const std::vector<double> values = parameters(member);
  std::vector<std::string> out;
  for (std::size_t k = 0; k < values.size(); ++k) out.push_back(fmt::format("{}={}", paths_[k], values[k]));
  return out;
}

Scene Ensemble::scene(long member) const { return scene_with(paths_, parameters(member)); }

}  // namespace catena
