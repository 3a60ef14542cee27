// The page of `catena bench papers --report`: a table for each paper, a line for each claim.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/figures.h"
#include "catena/model/error.h"
#include "catena/record/chart.h"

namespace catena::bench {

class Page {
 public:
  // Pictures are written beside `file` and begin with its name.
  Page(const Sink& sink, const std::string& file) : sink_(sink), file_(file) {}

  // Figures that the tables of the page are made of; they are passed on.
  Sink collect() {
    return [this](const Figure& f) {
      figures_.push_back(f);
      sink_(f);
    };
  }
  // NaN where it was not measured.
  double figure(const std::string& name, const std::string& metric, long n = -1) const {
    for (const Figure& f : figures_)
      if (f.name == name && f.metric == metric && (n < 0 || f.n == n)) return f.value;
    return NAN;
  }

  void paper(const std::string& title) {
    text_ += fmt::format("\n## {}\n\n| where | claim | the paper | here | |\n|---|---|---|---|---|\n", title);
  }
  // A claim that is true or not.
  void claim(const std::string& where, const std::string& what, const std::string& theirs, const std::string& ours,
             bool holds) {
    ++claims_;
    if (!holds) ++missed_;
    text_ +=
        fmt::format("| {} | {} | {} | {} | {} |\n", where, what, theirs, ours, holds ? "holds" : "**does not hold**");
    sink_({"papers", where + ": " + what, 1, "holds", holds ? 1.0 : 0.0, "1"});
  }
  // A figure of another machine: beside, not against.
  void beside(const std::string& where, const std::string& what, const std::string& theirs, const std::string& ours) {
    text_ += fmt::format("| {} | {} | {} | {} | |\n", where, what, theirs, ours);
  }

  // After the lines of a paper: a table does not go on behind a picture.
  void picture(const std::string& name, const std::string& what, const std::vector<Panel>& panels) {
    const std::filesystem::path at = file_.parent_path() / (file_.stem().string() + "_" + name + ".svg");
    std::ofstream out(at);
    out << to_svg({.panels = panels, .panel_height = 420});
    if (!out.flush()) throw InputError(fmt::format("--report: {} cannot be written", at.string()));
    text_ += fmt::format("\n![{}]({})\n", what, at.filename().string());
  }

  int write(bool fast) const {
    std::ofstream out(file_);
    std::array<char, 16> day{};
    const std::time_t now = std::time(nullptr);
    std::strftime(day.data(), day.size(), "%Y-%m-%d", std::gmtime(&now));
    out << "# The papers, claim by claim\n\nWritten by `catena bench papers --report FILE.md" << (fast ? " --fast" : "")
        << "` on " << day.data() << ". Times are of one core of the machine it ran on; the papers' are of theirs.\n"
        << fmt::format("{} of {} claims that can be checked hold.\n", claims_ - missed_, claims_)
        << (fast ? "Bender's figures 2 and 4 and Jain's table 2 take minutes and are left out by `--fast`.\n" : "")
        << text_;
    if (!out.flush()) throw InputError(fmt::format("--report {}: cannot be written", file_.string()));
    return missed_;
  }

 private:
  Sink sink_;
  std::filesystem::path file_;
  std::vector<Figure> figures_;
  std::string text_;
  int claims_ = 0, missed_ = 0;
};

// Lines about joints on surfaces, joints that come and go, soft contacts and parts in turn (paper_experiments.cpp).
void baraff_experiments(Page& page);
void jain_experiments(Page& page);
void lacoursiere_experiments(Page& page, std::vector<Panel>& panels);
void bender_experiments(Page& page, const std::string& examples);
// Lines about dependent rows, formulations with loops and contacts, hands that take hold, contacts of a chain (paper_claims.cpp).
void baraff_poses(Page& page);
void jain_formulations(Page& page);
void lacoursiere_singular(Page& page);
void bender_loops(Page& page, bool fast);

}  // namespace catena::bench
