// catena plot: columns of a recording against time, or against each other, as SVG, PNG or PDF.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include "catena/record/chart.h"
#include "catena/record/png.h"
#include "catena/record/recording.h"
#include "catena/record/run_info.h"
#include "catena/record/units.h"
#include "commands.h"
#include "common.h"
#include "recorded.h"

namespace catena::cli {
namespace {

struct PlotFlags {
  std::string run, out;
  std::vector<std::string> columns;
  std::string title, size;
};

// A recording, and the unit of each of its columns where it is known.
struct Columns {
  RecordedTable table;
  std::vector<std::string> units;

  // "rod.x, m"
  std::string label(const std::string& name) const {
    const auto at = std::find(table.names.begin(), table.names.end(), name);
    const std::string& unit = units[static_cast<std::size_t>(at - table.names.begin())];
    return unit.empty() || unit == "1" ? name : name + ", " + unit;
  }
};

// Joint coordinates have units that only the scene tells; where it cannot be read again the names must do.
Columns columns_of(const std::string& file) {
  Columns out{read_recording(file), {}};
  out.units = column_units(out.table.names);
  if (out.table.scene.empty()) return out;
  try {
    out.units = column_units(read_run(file, "", {}).scene.model, out.table.names);
  } catch (const InputError&) {
  }
  return out;
}

const std::vector<double>& column(const RecordedTable& table, const std::string& name) {
  if (std::find(table.names.begin(), table.names.end(), name) == table.names.end()) {
    const std::string near = nearest(name, table.names);
    throw InputError(fmt::format("no column '{}' in the recording{}", name,
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  return table.column(name);
}

// NAME, or X:Y for one column against another; several joined by '+' share a panel. "log(NAME)" has a logarithmic axis.
Panel panel_of(const Columns& columns, std::string text) {
  const RecordedTable& table = columns.table;
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
      if (!panel.y_label.empty()) panel.y_label += "; ";
      panel.y_label += columns.label(part);
    } else {
      const std::string x = part.substr(0, colon), y = part.substr(colon + 1);
      panel.series.push_back({fmt::format("{} over {}", y, x), column(table, x), column(table, y), "", false, false});
      panel.x_label = columns.label(x);
      panel.y_label = columns.label(y);
      panel.equal_aspect = true;
    }
    begin = end + 1;
  }
  return panel;
}

std::string drawn(const std::string& file, const std::string& svg) {
  if (file.ends_with(".png")) return svg_to_png(svg);
  return file.ends_with(".pdf") ? svg_to_pdf(svg) : svg;
}

// "1000x600": px of the whole figure.
void size_figure(const std::string& text, Figure& figure) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 100 || height < 100 ||
      width > 20000 || height > 20000)
    throw InputError(fmt::format("--size {}: write WIDTHxHEIGHT in pixels from 100 to 20000, such as 1000x600", text));
  fit(figure, width, height);
}

int run(const PlotFlags& flags) {
  const auto ends = [&](const char* ending) { return flags.out.ends_with(ending); };
  if (!ends(".png") && !ends(".svg") && !ends(".pdf"))
    throw InputError(fmt::format("--out {}: plots are written as .svg, .png or .pdf", flags.out));
  const Columns columns = columns_of(flags.run);
  Figure figure;
  figure.title = flags.title;
  for (const std::string& text : flags.columns) figure.panels.push_back(panel_of(columns, text));
  if (!flags.size.empty()) size_figure(flags.size, figure);
  std::ofstream file(flags.out, std::ios::binary);
  file << drawn(flags.out, to_svg(figure));
  if (!file.flush()) throw InputError(fmt::format("cannot write {}", flags.out));
  return kDone;
}

}  // namespace

Command add_plot(CLI::App& app) {
  auto flags = std::make_shared<PlotFlags>();
  CLI::App* command = app.add_subcommand("plot", "Draw columns of a recording");
  command->add_option("run", flags->run, "Recording: FILE.csv or FILE.h5")->required();
  command->add_option("columns", flags->columns, "NAME, NAME+NAME in one panel, X:Y against each other, log(NAME)")
      ->required();
  command->add_option("--out", flags->out, "FILE.svg, FILE.png or FILE.pdf")->required();
  command->add_option("--title", flags->title, "Title of the figure");
  command->add_option("--size", flags->size, "WIDTHxHEIGHT of the figure in pixels; default: 720 by 320 a panel");
  command->footer(R"(Examples:
  catena plot run.csv rod.x rod.z --out run.svg                two panels over time
  catena plot run.h5 rod.x+rod.z rod.x:rod.z --out run.png     two lines in one panel; one against the other
  catena plot run.h5 'log(drift.position)' --title Drift --out drift.svg
  catena plot run.h5 rod.x joint.pivot.q[0] --size 900x700 --out paper.pdf)");
  return [flags] { return run(*flags); };
}

}  // namespace catena::cli
