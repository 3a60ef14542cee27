// catena diff: two recordings, column by column.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "catena/record/compare_runs.h"
#include "catena/record/recording.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct DiffFlags {
  std::string first, second;
  double tolerance = 0;
  int show = 10;
  bool json = false, quiet = false;
};

nlohmann::json to_json(const RunDifference& d) {
  nlohmann::json columns = nlohmann::json::array();
  for (const ColumnDifference& c : d.columns)
    columns.push_back({{"name", c.name},
                       {"largest", c.largest},
                       {"at", c.time},
                       {"first_beyond", c.first_beyond ? nlohmann::json(*c.first_beyond) : nlohmann::json()}});
  return {{"equal", d.equal},
          {"within_tolerance", d.within},
          {"rows", {d.rows_first, d.rows_second}},
          {"only_in_first", d.only_first},
          {"only_in_second", d.only_second},
          {"first_time", d.first_beyond ? nlohmann::json(*d.first_beyond) : nlohmann::json()},
          {"columns", columns}};
}

void print_text(const RunDifference& d, const DiffFlags& flags) {
  for (const std::string& name : d.only_first) fmt::print("only in {}: {}\n", flags.first, name);
  for (const std::string& name : d.only_second) fmt::print("only in {}: {}\n", flags.second, name);
  if (d.rows_first != d.rows_second) fmt::print("rows: {} and {}\n", d.rows_first, d.rows_second);
  int shown = 0;
  for (const ColumnDifference& c : d.columns) {
    if (c.largest == 0 || shown++ >= flags.show) break;
    fmt::print("{:32} differs by up to {:.3e} at t = {:.6g} s{}\n", c.name, c.largest, c.time,
               c.first_beyond ? fmt::format(", beyond the tolerance from t = {:.6g} s on", *c.first_beyond) : "");
  }
  if (d.equal) fmt::print("equal to the bit: {} rows, {} columns\n", d.rows_first, d.columns.size());
  else if (d.within) fmt::print("equal within {:.3g}\n", flags.tolerance);
  else if (d.first_beyond) fmt::print("different from t = {:.6g} s on\n", *d.first_beyond);
}

int diff(const DiffFlags& flags) {
  const RunDifference d = compare_runs(read_recording(flags.first), read_recording(flags.second), flags.tolerance);
  if (flags.json) fmt::print("{}\n", to_json(d).dump(2));
  else if (!flags.quiet) print_text(d, flags);
  return d.within ? kDone : kOther;
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App* command = app.add_subcommand("diff", "Compare two recordings; exit code 0 when they are the same");
  command->add_option("first", flags->first, "Recording (.h5, .csv)")->required();
  command->add_option("second", flags->second, "Another one")->required();
  add_number(
      *command, "--tolerance", flags->tolerance,
      "Numbers a and b are the same when |a - b| is at most so much times max(1, |a|, |b|); default 0: to the bit",
      Least::at_least, 0, "1e-9");
  command->add_option("--show", flags->show, "Columns to list, those that differ most first; default 10")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", flags->json, "One JSON object on stdout");
  command->add_flag("--quiet", flags->quiet, "The exit code alone");
  command->footer(R"(Examples:
  catena diff run.h5 again.h5                                  the same bits?
  catena diff lagrange.csv spook.csv --tolerance 1e-6          from when on do two methods differ?)");
  return [flags] { return diff(*flags); };
}

}  // namespace catena::cli
