// Line charts as SVG, for demos and documents: one string, no other files, the same bytes for the same numbers.
#pragma once

#include <string>
#include <vector>

namespace catena {

struct Series {
  std::string name{};  // for the legend; empty: not listed there
  std::vector<double> x{},
      y{};  // of the same length; a point that is not finite (or not positive on a log axis) interrupts the line
  std::string colour{};  // any SVG colour; empty: the next of a palette
  bool dots = false;     // a dot a point instead of a line
  bool dashed = false;
};

struct Panel {
  std::string title{}, x_label{}, y_label{};
  std::vector<Series> series{};
  bool log_x = false, log_y = false;
  bool equal_aspect = false;  // one unit of x is as long as one of y; linear axes only
};

struct Figure {
  std::string title{};
  std::vector<Panel> panels{};
  int columns = 1;                               // panels fill rows from left to right
  double panel_width = 720, panel_height = 320;  // px, labels included
};

// Sizes the panels so that the whole figure is as wide and tall as this, px; no panel becomes smaller than 160 by 120.
void fit(Figure& figure, double width, double height);

// Points that would fall on the same pixel column are thinned to those that are seen, so a million samples make a small file.
std::string to_svg(const Figure& figure);

}  // namespace catena
