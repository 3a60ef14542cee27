#include "catena/record/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

#include "catena/record/png.h"

namespace catena {
namespace chart_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

Figure one_panel(Panel panel) { return {.panels = {std::move(panel)}}; }

TEST(Chart, DrawsALineASeriesWithTitleLabelsAndLegend) {
  const std::string svg =
      to_svg({.title = "Legs",
              .panels = {{.title = "Path",
                          .x_label = "x [m]",
                          .y_label = "z [m]",
                          .series = {{.name = "left", .x = {0, 1, 2}, .y = {0, 1, 0}},
                                     {.name = "right", .x = {0, 1, 2}, .y = {1, 0, 1}, .dashed = true}}}}});
  EXPECT_EQ(count(svg, "<polyline"), 2u);
  for (const char* text : {">Legs<", ">Path<", ">x [m]<", ">z [m]<", ">left<", ">right<", "stroke-dasharray"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_EQ(svg.find("<svg"), 0u);
  EXPECT_THAT(svg, HasSubstr("</svg>"));
}

TEST(Chart, EscapesWhatXmlWouldMisread) {
  const std::string svg = to_svg(one_panel({.title = "a < b & c"}));
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
}

TEST(Chart, InterruptsTheLineWhereANumberIsNotFinite) {
  const Series series{.name = "s", .x = {0, 1, 2, 3, 4, 5}, .y = {1, 2, NAN, INFINITY, 3, 4}};
  const std::string svg = to_svg(one_panel({.series = {series}}));
  EXPECT_EQ(count(svg, "<polyline"), 2u);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Chart, LeavesOutWhatALogarithmCannotShow) {
  const Series series{.x = {0, 1, 2, 3, 4}, .y = {1e-3, 1e-2, 0, 1e-1, 1}};
  const std::string svg = to_svg(one_panel({.series = {series}, .log_y = true}));
  EXPECT_EQ(count(svg, "<polyline"), 2u);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Chart, SaysWhenThereIsNothingToDraw) {
  EXPECT_THAT(to_svg(one_panel({})), HasSubstr("no data"));
  EXPECT_THAT(to_svg(one_panel({.series = {{.x = {NAN}, .y = {1}}}})), HasSubstr("no data"));
  EXPECT_THAT(to_svg(one_panel({.series = {{.x = {NAN, 1}, .y = {1, 1}}}})), Not(HasSubstr("no data")));
  EXPECT_THAT(to_svg({}), HasSubstr("</svg>"));
}

TEST(Chart, ShowsASinglePointAsADot) {
  EXPECT_EQ(count(to_svg(one_panel({.series = {{.x = {1}, .y = {1}}}})), "<circle"), 1u);
}

TEST(Chart, ThinsLongSeriesButKeepsTheirExtremes) {
  Series series;
  for (int i = 0; i < 1000000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 765432 ? 10 : std::sin(0.1 * i));
  }
  const std::string svg = to_svg(one_panel({.series = {series}}));
  EXPECT_LT(svg.size(), 100000u);
  series.y[765432] = 0;  // the one peak that sets the range
  EXPECT_NE(to_svg(one_panel({.series = {series}})), svg);
}

TEST(Chart, GivesTheSameBytesForTheSameNumbers) {
  const Figure figure = one_panel({.series = {{.x = {0, 0.1, 0.7}, .y = {1e-7, 2e-7, 1.5e-7}}}, .equal_aspect = true});
  EXPECT_EQ(to_svg(figure), to_svg(figure));
}

// The frames of panels below each other begin at the same place, however wide their numbers are.
TEST(Chart, AlignsThePanelsOfAColumn) {
  const std::string svg = to_svg({.panels = {{.y_label = "a", .series = {{.x = {0, 1}, .y = {0, 1}}}},
                                             {.series = {{.x = {0, 1}, .y = {0, 123456}}}},
                                             {.series = {{.x = {0, 1}, .y = {1e-9, 1e9}}}, .log_y = true}}});
  std::set<std::string> begins;
  const std::regex frame(R"re(<clipPath id="frame\d+"><rect x="([^"]+)")re");
  for (std::sregex_iterator it(svg.begin(), svg.end(), frame), none; it != none; ++it) begins.insert((*it)[1]);
  EXPECT_EQ(count(svg, "<clipPath"), 3u);
  EXPECT_EQ(begins.size(), 1u);
}

TEST(Chart, FitsTheFigureAsked) {
  Figure figure{.title = "t", .panels = {{}, {}, {}}};
  fit(figure, 900, 700);
  EXPECT_THAT(to_svg(figure), HasSubstr(R"(width="900" height="700")"));
  figure.columns = 2;
  fit(figure, 900, 700);
  EXPECT_THAT(to_svg(figure), HasSubstr(R"(width="900" height="700")"));
}

TEST(Chart, IsADocumentToo) {
  const std::string pdf = svg_to_pdf(to_svg(one_panel({.title = "a", .series = {{.x = {0, 1}, .y = {0, 1}}}})));
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  EXPECT_THAT(pdf, HasSubstr("%%EOF"));
}

}  // namespace chart_test
}  // namespace catena
