// The page of `catena bench papers --report`: a table for each paper, a line for each claim.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "bench/figures.h"
#include "catena/model/error.h"

namespace catena::bench {

class Page {
 public:
  explicit Page(const Sink& sink) : sink_(sink) {}

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

  int write(const std::string& file, bool fast) const {
    std::ofstream out(file);
    out << "# The papers, claim by claim\n\nWritten by `catena bench papers --report FILE.md" << (fast ? " --fast" : "")
        << "`. Times are of one core of the machine it ran on; the papers' are of theirs.\n"
        << fmt::format("{} of {} claims that can be checked hold.\n", claims_ - missed_, claims_)
        << (fast ? "Bender's figures 2 and 4 and Jain's table 2 take minutes and are left out by `--fast`.\n" : "")
        << text_;
    if (!out.flush()) throw InputError(fmt::format("--report {}: cannot be written", file));
    return missed_;
  }

 private:
  Sink sink_;
  std::vector<Figure> figures_;
  std::string text_;
  int claims_ = 0, missed_ = 0;
};

// Lines about joints on surfaces, joints that come and go, soft contacts and parts in turn (paper_experiments.cpp).
void baraff_experiments(Page& page);
void jain_experiments(Page& page);
void lacoursiere_experiments(Page& page);
void bender_experiments(Page& page, const std::string& examples);

}  // namespace catena::bench
