// catena plot: columns of a recording against time, or against each other, as SVG or PNG.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "catena/record/chart.h"
#include "catena/record/png.h"
#include "catena/record/recording.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct Flags {
  std::string run, out;
  std::vector<std::string> columns;
  std::string title;
};

const std::vector<double>& column(const RecordedTable& table, const std::string& name) {
  if (std::find(table.names.begin(), table.names.end(), name) == table.names.end()) {
    const std::string near = nearest(name, table.names);
    throw InputError(fmt::format("no column '{}' in the recording{}", name,
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  return table.column(name);
}

// NAME, or X:Y for one column against another; several joined by '+' share a panel. "log(NAME)" has a logarithmic axis.
Panel panel_of(const RecordedTable& table, std::string text) {
  Panel panel;
  if (text.starts_with("log(") && text.ends_with(")")) {
    text = text.substr(4, text.size() - 5);
    panel.log_y = true;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) {
      panel.series.push_back({part, column(table, "time"), column(table, part), "", false, false});
      panel.x_label = "time, s";
    } else {
      const std::string x = part.substr(0, colon), y = part.substr(colon + 1);
      panel.series.push_back({y + " over " + x, column(table, x), column(table, y), "", false, false});
      panel.x_label = x.substr(x.rfind('.') + 1);
      panel.y_label = y.substr(y.rfind('.') + 1);
      panel.equal_aspect = true;
    }
    begin = end + 1;
  }
  return panel;
}

int run(const Flags& flags) {
  const bool png = flags.out.ends_with(".png");
  if (!png && !flags.out.ends_with(".svg"))
    throw InputError(fmt::format("--out {}: plots are written as .svg or .png", flags.out));
  const RecordedTable table = read_recording(flags.run);
  Figure figure;
  figure.title = flags.title;
  for (const std::string& text : flags.columns) figure.panels.push_back(panel_of(table, text));
  const std::string svg = to_svg(figure);
  std::ofstream file(flags.out, std::ios::binary);
  file << (png ? svg_to_png(svg) : svg);
  if (!file.flush()) throw InputError(fmt::format("cannot write {}", flags.out));
  return kDone;
}

}  // namespace

Command add_plot(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("plot", "Draw columns of a recording");
  command->add_option("run", flags->run, "Recording: FILE.csv or FILE.h5")->required();
  command->add_option("columns", flags->columns, "NAME, NAME+NAME in one panel, X:Y against each other, log(NAME)")
      ->required();
  command->add_option("--out", flags->out, "FILE.svg or FILE.png")->required();
  command->add_option("--title", flags->title, "Title of the figure");
  command->footer(R"(Examples:
  catena plot run.csv rod.x rod.z --out run.svg                two panels over time
  catena plot run.h5 rod.x+rod.z rod.x:rod.z --out run.png     two lines in one panel; one against the other
  catena plot run.h5 'log(drift.position)' --title Drift --out drift.svg)");
  return [flags] { return run(*flags); };
}

}  // namespace catena::cli
