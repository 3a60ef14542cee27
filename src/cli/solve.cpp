// catena solve: a complementarity problem by itself.
#include "catena/solve/solve.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "catena/model/error.h"
#include "catena/scene/problem_file.h"
#include "commands.h"

namespace catena::cli {
namespace {

struct SolveFlags {
  std::vector<std::string> files;
  std::string solver = "auto";
  bool all = false, json = false;
  solve::Options options;
};

struct Timed {
  solve::Solution solution;
  double seconds;
};

Timed timed(const solve::Problem& problem, const solve::Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Timed out{solve::solve(problem, options), 0};
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

std::vector<double> numbers(const solve::Vector& v) { return {v.begin(), v.end()}; }

nlohmann::json to_json(const Timed& run) {
  const solve::Certificate& c = run.solution.certificate;
  nlohmann::json out = {{"solver", c.solver},
                        {"status", name_of(c.status)},
                        {"iterations", c.iterations},
                        {"fallbacks", c.fallbacks},
                        {"residual", c.residual},
                        {"worst_row", c.worst_row},
                        {"gap", c.gap},
                        {"regularisation", c.regularisation},
                        {"seconds", run.seconds}};
  if (c.status == solve::Status::ray) {
    out["ray"] = numbers(run.solution.ray);
    out["proved"] = c.proved;
  }
  return out;
}

nlohmann::json with_answer(const ProblemFile& file, const Timed& run) {
  nlohmann::json out = to_json(run);
  out["name"] = file.name;
  out["kind"] = file.kind;
  out["rows"] = file.problem.size();
  out["z"] = numbers(run.solution.z);
  out["w"] = numbers(run.solution.w);
  return out;
}

std::string describe(const solve::Certificate& c) {
  std::string text(name_of(c.status));
  if (c.status == solve::Status::ray) text += c.proved ? ": there is no solution" : ": none found, not proved";
  if (c.regularisation > 0) text += fmt::format(" (epsilon {:.2g})", c.regularisation);
  return text;
}

void print_answer(const ProblemFile& file, const Timed& run) {
  const solve::Certificate& c = run.solution.certificate;
  fmt::print("{}: {}, {} rows\n", file.name, file.kind, file.problem.size());
  fmt::print("  status      {}\n", describe(c));
  fmt::print("  residual    {:.3g} (worst in row {}), complementarity gap {:.3g}\n", c.residual, c.worst_row, c.gap);
  fmt::print("  solver      {}, {} iterations, {} fall-backs, {:.3f} ms\n", c.solver, c.iterations, c.fallbacks,
             1e3 * run.seconds);
  const bool ray = c.status == solve::Status::ray;
  fmt::print("  {:>5} {:>24} {:>24}\n", "row", ray ? "ray" : "z", "w");
  const solve::Vector& z = ray && run.solution.ray.size() > 0 ? run.solution.ray : run.solution.z;
  for (int i = 0; i < file.problem.size(); ++i)
    fmt::print("  {:>5} {:>24.16g} {:>24.16g}\n", i, z[i], run.solution.w[i]);
}

constexpr solve::Solver kSolvers[] = {solve::Solver::automatic, solve::Solver::lemke, solve::Solver::dantzig,
                                      solve::Solver::gauss_seidel, solve::Solver::cone};

// Time to 1e-4 and to 1e-8, and the best each solver can do.
nlohmann::json compare(const ProblemFile& file, const SolveFlags& flags) {
  nlohmann::json rows = nlohmann::json::array();
  for (const solve::Solver solver : kSolvers) {
    nlohmann::json row = {{"asked", name_of(solver)}};
    solve::Options options = flags.options;
    options.solver = solver;
    if (!applies(solver, file.problem)) {
      row["status"] = "does not apply";
      rows.push_back(row);
      continue;
    }
    row.update(to_json(timed(file.problem, options)));
    for (const auto& [key, tolerance] : {std::pair{"seconds_to_1e-4", 1e-4}, {"seconds_to_1e-8", 1e-8}}) {
      options.tolerance = tolerance;
      const Timed run = timed(file.problem, options);
      if (run.solution.certificate.residual <= tolerance) row[key] = run.seconds;
    }
    rows.push_back(row);
  }
  return {{"name", file.name}, {"kind", file.kind}, {"rows", file.problem.size()}, {"solvers", rows}};
}

void print_comparison(const nlohmann::json& table) {
  fmt::print("{}: {}, {} rows\n", table["name"].get<std::string>(), table["kind"].get<std::string>(),
             table["rows"].get<int>());
  fmt::print("  {:13} {:14} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12}\n", "solver", "status", "iterations", "residual",
             "gap", "ms", "ms to 1e-4", "ms to 1e-8");
  const auto milliseconds = [](const nlohmann::json& row, const char* key) {
    return row.contains(key) ? fmt::format("{:.3f}", 1e3 * row[key].get<double>()) : std::string("-");
  };
  for (const nlohmann::json& row : table["solvers"]) {
    const auto asked = row["asked"].get<std::string>(), status = row["status"].get<std::string>();
    if (!row.contains("residual")) {
      fmt::print("  {:13} {}\n", asked, status);
      continue;
    }
    fmt::print("  {:13} {:14} {:>10} {:>10.2g} {:>10.2g} {:>12} {:>12} {:>12}\n", asked, status,
               row["iterations"].get<int>(), row["residual"].get<double>(), row["gap"].get<double>(),
               milliseconds(row, "seconds"), milliseconds(row, "seconds_to_1e-4"),
               milliseconds(row, "seconds_to_1e-8"));
  }
}

int run(SolveFlags& flags) {
  const auto solver = solve::solver_named(flags.solver);
  if (!solver)
    throw InputError(
        fmt::format("--solver {}: unknown; there are auto, lemke, dantzig, gauss-seidel, cone", flags.solver));
  flags.options.solver = *solver;
  int code = kDone;
  nlohmann::json out = nlohmann::json::array();
  for (const std::string& name : flags.files) {
    const ProblemFile file = load_problem(name);
    if (flags.all) {
      const nlohmann::json table = compare(file, flags);
      if (flags.json) out.push_back(table);
      else print_comparison(table);
      continue;
    }
    if (!applies(*solver, file.problem))
      throw InputError(fmt::format(
          "{}: --solver {} takes bounds and complementarity with a symmetric matrix, no cones; ask for auto or lemke",
          name, flags.solver));
    const Timed answer = timed(file.problem, flags.options);
    const solve::Status status = answer.solution.certificate.status;
    if (status != solve::Status::exact && status != solve::Status::regularised) code = kStopped;
    if (flags.json) out.push_back(with_answer(file, answer));
    else print_answer(file, answer);
  }
  if (flags.json) fmt::print("{}\n", out.size() == 1 ? out[0].dump() : out.dump());
  return code;
}

}  // namespace

Command add_solve(CLI::App& app) {
  auto flags = std::make_shared<SolveFlags>();
  CLI::App* command = app.add_subcommand("solve", "Solve an LCP, a mixed or bounded LCP or a friction problem (JSON)");
  command->add_option("problem", flags->files, "Problem files")->required();
  command->add_option("--solver", flags->solver, "auto, lemke, dantzig, gauss-seidel or cone");
  command->add_flag("--all", flags->all, "Compare every solver");
  command->add_flag("--json", flags->json, "One JSON object (a list for several files)");
  command->add_option("--tolerance", flags->options.tolerance, "Natural-map residual that counts as exact")
      ->check(CLI::PositiveNumber);
  command->add_option("--max-iterations", flags->options.max_iterations, "Pivots, sweeps or steps")
      ->check(CLI::PositiveNumber);
  command->add_option("--facets", flags->options.cone_facets, "lemke: facets that stand for a cone")
      ->check(CLI::Range(4, 64));
  command->footer(R"(Examples:
  catena solve tests/data/problems/lcp-mmc.json
  catena solve problem.json --all                              every solver, with times)");
  return [flags] { return run(*flags); };
}

}  // namespace catena::cli
