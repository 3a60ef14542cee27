#include "catena/record/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "catena/record/axis.h"

namespace catena {
namespace {

constexpr std::array kPalette = {"#2166ac", "#d6453d", "#2a9163", "#e08214",
                                 "#7b52ab", "#1697a6", "#8c5a3c", "#5c6670"};
constexpr double kTextWidth = 6.6;  // px a letter at 12 px, on average
constexpr double kLineHeight = 18;
constexpr double kTickDistance = 72;  // px between numbers along x
constexpr double kTickRise = 48;      // and along y
constexpr double kMargin = 14;

struct Rectangle {
  double x, y, width, height;
};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
};

// A panel laid out: where its frame lies and which numbers it spans.
struct Layout {
  Rectangle frame;
  Axis x, y;

  double px(double value) const { return frame.x + x.place(value) * frame.width; }
  double py(double value) const { return frame.y + (1 - y.place(value)) * frame.height; }
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else out += c;
  }
  return out;
}

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

template <class... Arguments>
void put(std::string& svg, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(svg), format, std::forward<Arguments>(arguments)...);
}

std::string raised(const std::string& exponent) {
  return fmt::format(R"(<tspan dy="-4.5" font-size="9">{}</tspan>)", exponent);
}

std::string label_of(const Tick& tick) {
  return tick.exponent.empty() ? tick.label : tick.label + raised(tick.exponent);
}

std::string unit_of(const Axis& axis) {
  const int e = axis.exponent;
  return "× 10" + raised(e < 0 ? fmt::format("\u2212{}", -e) : fmt::format("{}", e));
}

std::size_t points_of(const Series& series) { return std::min(series.x.size(), series.y.size()); }

bool drawable(const Panel& panel, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!panel.log_x || x > 0) && (!panel.log_y || y > 0);
}

void span_of(const Panel& panel, Range& x, Range& y) {
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < points_of(series); ++i) {
      if (!drawable(panel, series.x[i], series.y[i])) continue;
      x = {std::min(x.low, series.x[i]), std::max(x.high, series.x[i])};
      y = {std::min(y.low, series.y[i]), std::max(y.high, series.y[i])};
    }
  }
}

Axis axis_for(Range range, bool logarithmic, int count, double air) {
  if (logarithmic) return logarithmic_axis(range.low, range.high, count);
  const double pad = range.high > range.low ? air * (range.high - range.low) : 0;
  return linear_axis(range.low - pad, range.high + pad, count);
}

// The narrower of two linear axes is widened about its middle until a unit has the same length on both.
void equalise(Layout& layout, int x_count, int y_count) {
  const double x_unit = (layout.x.high - layout.x.low) / layout.frame.width;
  const double y_unit = (layout.y.high - layout.y.low) / layout.frame.height;
  const double unit = std::max(x_unit, y_unit);
  const auto widen = [&](const Axis& axis, double pixels, int count) {
    const double middle = 0.5 * (axis.low + axis.high), half = 0.5 * unit * pixels;
    return linear_axis(middle - half, middle + half, count);
  };
  layout.x = widen(layout.x, layout.frame.width, x_count);
  layout.y = widen(layout.y, layout.frame.height, y_count);
}

double width_of_labels(const Axis& axis) {
  std::size_t longest = 1;
  for (const Tick& tick : axis.ticks) longest = std::max(longest, letters(tick.label) + letters(tick.exponent));
  return kTextWidth * static_cast<double>(longest);
}

// Lines of the legend: the series with names, as many a line as fit.
std::vector<std::vector<std::size_t>> legend_lines(const Panel& panel, double width) {
  std::vector<std::vector<std::size_t>> lines;
  double used = width;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    if (panel.series[i].name.empty()) continue;
    const double entry = 40 + kTextWidth * static_cast<double>(letters(panel.series[i].name));
    if (lines.empty() || used + entry > width) lines.emplace_back(), used = 0;
    lines.back().push_back(i);
    used += entry;
  }
  return lines;
}

int tick_count(double pixels, double distance) { return std::max(2, static_cast<int>(pixels / distance)); }

double height_of_frame(const Panel& panel, const Rectangle& box, double head) {
  return box.height - head - 24 - (panel.x_label.empty() ? 0 : 20);
}

Axis y_axis_of(const Panel& panel, double height) {
  Range x, y;
  span_of(panel, x, y);
  return axis_for(y, panel.log_y, tick_count(height, kTickRise), 0.05);
}

// What the numbers and the label of the y axis need, left of the frame.
double left_of_frame(const Panel& panel, const Axis& y) {
  return width_of_labels(y) + 12 + (panel.y_label.empty() ? 0 : 20);
}

// `left`: at least so wide a margin, so that the frames of a column of panels begin at the same place.
Layout lay_out(const Panel& panel, const Rectangle& box, double head, double left) {
  Range x, y;
  span_of(panel, x, y);
  Layout layout{{box.x, box.y + head, box.width - kMargin, height_of_frame(panel, box, head)}, {}, {}};
  const int y_count = tick_count(layout.frame.height, kTickRise);
  layout.y = y_axis_of(panel, layout.frame.height);
  left = std::max(left, left_of_frame(panel, layout.y));
  layout.frame.x += left;
  layout.frame.width = std::max(10.0, layout.frame.width - left);
  const int x_count = tick_count(layout.frame.width, kTickDistance);
  layout.x = axis_for(x, panel.log_x, x_count, panel.equal_aspect ? 0.05 : 0);
  if (panel.equal_aspect && !panel.log_x && !panel.log_y) equalise(layout, x_count, y_count);
  return layout;
}

void draw_axes(std::string& svg, const Panel& panel, const Layout& layout) {
  const auto [x, y, width, height] = layout.frame;
  put(svg, R"(<g stroke="#e4e7eb" stroke-width="1">)");
  for (const Tick& t : layout.x.ticks)
    if (!t.label.empty()) put(svg, R"(<path d="M{:.1f} {:.1f}v{:.1f}"/>)", layout.px(t.value), y, height);
  for (const Tick& t : layout.y.ticks)
    if (!t.label.empty()) put(svg, R"(<path d="M{:.1f} {:.1f}h{:.1f}"/>)", x, layout.py(t.value), width);
  put(svg, "</g>\n<g stroke=\"#6b7480\" stroke-width=\"1\" fill=\"none\">");
  put(svg, R"(<path d="M{:.1f} {:.1f}v{:.1f}h{:.1f}"/>)", x, y, height, width);
  for (const Tick& t : layout.x.ticks)
    put(svg, R"(<path d="M{:.1f} {:.1f}v{}"/>)", layout.px(t.value), y + height, t.label.empty() ? 2 : 4);
  for (const Tick& t : layout.y.ticks)
    put(svg, R"(<path d="M{:.1f} {:.1f}h{}"/>)", x, layout.py(t.value), t.label.empty() ? -2 : -4);
  put(svg, "</g>\n<g text-anchor=\"middle\">");
  for (const Tick& t : layout.x.ticks)
    if (!t.label.empty())
      put(svg, R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", layout.px(t.value), y + height + 18, label_of(t));
  put(svg, "</g>\n<g text-anchor=\"end\">");
  for (const Tick& t : layout.y.ticks)
    if (!t.label.empty())
      put(svg, R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", x - 8, layout.py(t.value) + 4, label_of(t));
  put(svg, "</g>\n");
  if (layout.y.exponent != 0) put(svg, R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", x + 4, y - 6, unit_of(layout.y));
  const double below = y + height + 38;
  if (layout.x.exponent != 0)
    put(svg, R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", x + width, below, unit_of(layout.x));
  if (!panel.x_label.empty())
    put(svg, R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x + 0.5 * width, below,
        escaped(panel.x_label));
  if (!panel.y_label.empty())
    put(svg, R"svg(<text transform="translate({:.1f} {:.1f}) rotate(-90)" text-anchor="middle">{}</text>)svg",
        x - width_of_labels(layout.y) - 18, y + 0.5 * height, escaped(panel.y_label));
}

struct ChartPoint {
  double x, y;
};

// Of neighbours within half a pixel across the first, the lowest, the highest and the last are seen; the rest hides behind them.
std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& line) {
  std::vector<ChartPoint> out;
  for (std::size_t first = 0; first < line.size();) {
    std::size_t end = first, low = first, high = first;
    for (; end < line.size() && std::floor(2 * line[end].x) == std::floor(2 * line[first].x); ++end) {
      if (line[end].y < line[low].y) low = end;
      if (line[end].y > line[high].y) high = end;
    }
    std::array<std::size_t, 4> seen{first, std::min(low, high), std::max(low, high), end - 1};
    const auto unique_end = std::unique(seen.begin(), seen.end());
    std::for_each(seen.begin(), unique_end, [&](std::size_t i) { out.push_back(line[i]); });
    first = end;
  }
  return out;
}

// The series in pixels, cut where a point cannot be drawn.
std::vector<std::vector<ChartPoint>> lines_of(const Panel& panel, const Series& series, const Layout& layout) {
  std::vector<std::vector<ChartPoint>> lines(1);
  for (std::size_t i = 0; i < points_of(series); ++i) {
    if (drawable(panel, series.x[i], series.y[i]))
      lines.back().push_back({layout.px(series.x[i]), layout.py(series.y[i])});
    else if (!lines.back().empty()) lines.emplace_back();
  }
  return lines;
}

std::string colour_of(const Panel& panel, std::size_t i) {
  return panel.series[i].colour.empty() ? kPalette[i % kPalette.size()] : escaped(panel.series[i].colour);
}

void draw_series(std::string& svg, const Panel& panel, std::size_t index, const Layout& layout) {
  const Series& series = panel.series[index];
  const std::string colour = colour_of(panel, index);
  for (const std::vector<ChartPoint>& whole : lines_of(panel, series, layout)) {
    const std::vector<ChartPoint> line = thinned(whole);
    if (line.empty()) continue;
    if (series.dots || line.size() == 1) {
      put(svg, R"(<g fill="{}">)", colour);
      for (const ChartPoint& p : line) put(svg, R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.4"/>)", p.x, p.y);
      put(svg, "</g>\n");
      continue;
    }
    put(svg, R"(<polyline fill="none" stroke="{}" stroke-width="1.6" stroke-linejoin="round"{} points=")", colour,
        series.dashed ? R"( stroke-dasharray="6 4")" : "");
    for (const ChartPoint& p : line) put(svg, "{:.1f},{:.1f} ", p.x, p.y);
    svg.back() = '"';
    put(svg, "/>\n");
  }
}

void draw_legend(std::string& svg, const Panel& panel, const std::vector<std::vector<std::size_t>>& lines, double left,
                 double top) {
  for (const std::vector<std::size_t>& line : lines) {
    double at = left;
    for (const std::size_t i : line) {
      put(svg, R"(<path d="M{:.1f} {:.1f}h20" stroke="{}" stroke-width="{}"{}/>)", at, top - 4, colour_of(panel, i),
          panel.series[i].dots ? 5 : 2, panel.series[i].dashed ? R"( stroke-dasharray="6 4")" : "");
      put(svg, R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", at + 26, top, escaped(panel.series[i].name));
      at += 40 + kTextWidth * static_cast<double>(letters(panel.series[i].name));
    }
    top += kLineHeight;
  }
}

double head_of(const Panel& panel, const Rectangle& box) {
  const auto legend = legend_lines(panel, box.width - 80);
  return (panel.title.empty() ? 0 : 24) + kLineHeight * static_cast<double>(legend.size()) + 18;
}

void draw_panel(std::string& svg, const Panel& panel, const Rectangle& box, double left, std::size_t number) {
  const auto legend = legend_lines(panel, box.width - 80);
  const double title = panel.title.empty() ? 0 : 24;
  const Layout layout = lay_out(panel, box, head_of(panel, box), left);
  const auto [x, y, width, height] = layout.frame;
  if (!panel.title.empty())
    put(svg, R"(<text x="{:.1f}" y="{:.1f}" font-size="14" font-weight="600">{}</text>)", x, box.y + 16,
        escaped(panel.title));
  // Leave room at the left for the unit above the y axis.
  draw_legend(svg, panel, legend, x + (layout.y.exponent != 0 ? 60 : 0), box.y + title + 14);
  draw_axes(svg, panel, layout);
  put(svg, R"(<clipPath id="frame{}"><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/></clipPath>)", number,
      x - 2, y - 2, width + 4, height + 4);
  put(svg, "<g clip-path=\"url(#frame{})\">\n", number);
  for (std::size_t i = 0; i < panel.series.size(); ++i) draw_series(svg, panel, i, layout);
  put(svg, "</g>\n");
  const bool empty = std::none_of(panel.series.begin(), panel.series.end(), [&](const Series& series) {
    return !lines_of(panel, series, layout).front().empty();
  });
  if (empty)
    put(svg, R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle" fill="#8a939d">no data</text>)", x + 0.5 * width,
        y + 0.5 * height);
}

// How panels are laid out: columns as asked for, those that are used, rows, and the height of the title.
struct Grid {
  std::size_t columns, wide, rows;
  double head;
};

Grid grid_of(const Figure& figure) {
  const auto columns = static_cast<std::size_t>(std::max(1, figure.columns));
  return {columns, std::min(columns, std::max<std::size_t>(1, figure.panels.size())),
          (figure.panels.size() + columns - 1) / columns, figure.title.empty() ? 0.0 : 34.0};
}

}  // namespace

void fit(Figure& figure, double width, double height) {
  const Grid grid = grid_of(figure);
  figure.panel_width = std::max(160.0, (width - kMargin) / static_cast<double>(grid.wide) - kMargin);
  figure.panel_height = std::max(
      120.0, (height - kMargin - grid.head) / static_cast<double>(std::max<std::size_t>(1, grid.rows)) - kMargin);
}

std::string to_svg(const Figure& figure) {
  const auto [columns, wide, rows, head] = grid_of(figure);
  const double width = static_cast<double>(wide) * (figure.panel_width + kMargin) + kMargin;
  const double height = static_cast<double>(rows) * (figure.panel_height + kMargin) + kMargin + head;
  std::string svg;
  put(svg, R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )",
      width, height);
  put(svg,
      "font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" "
      "fill=\"#2b323a\">\n");
  put(svg, "<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfd\"/>\n");
  if (!figure.title.empty())
    put(svg, "<text x=\"{:.1f}\" y=\"30\" font-size=\"18\" font-weight=\"600\">{}</text>\n", kMargin,
        escaped(figure.title));
  std::vector<Rectangle> boxes;
  std::vector<double> left(columns, 0);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    const Panel& panel = figure.panels[i];
    const Rectangle& box =
        boxes.emplace_back(Rectangle{kMargin + static_cast<double>(column) * (figure.panel_width + kMargin),
                                     kMargin + head + static_cast<double>(row) * (figure.panel_height + kMargin),
                                     figure.panel_width, figure.panel_height});
    const double tall = height_of_frame(panel, box, head_of(panel, box));
    left[column] = std::max(left[column], left_of_frame(panel, y_axis_of(panel, tall)));
  }
  for (std::size_t i = 0; i < figure.panels.size(); ++i)
    draw_panel(svg, figure.panels[i], boxes[i], left[i % columns], i);
  put(svg, "</svg>\n");
  return svg;
}

}  // namespace catena
