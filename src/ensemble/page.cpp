// The page of an ensemble: one file that any browser shows, without a server and without scripts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "catena/ensemble/folder.h"
#include "catena/record/chart.h"

namespace catena {
namespace {

constexpr std::size_t kMostPoints = 4000;  // of a scatter plot; members evenly spread over the ensemble
constexpr std::size_t kMostPlots = 60;
constexpr std::size_t kMostFailures = 100;

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{0}</title><style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; }} td, th {{ padding: .2rem .8rem; border-bottom: 1px solid #ddd; text-align: right; }}
td:first-child, th:first-child, td.text {{ text-align: left; }} svg {{ max-width: 100%; height: auto; }}
</style></head><body><h1>{0}</h1>
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

struct Numbers {
  std::vector<double> values;  // finite ones of members that are done
  double least = 0, most = 0, mean = 0, deviation = 0;
  long least_member = 0, most_member = 0;
};

Numbers gather(const Results& results, std::size_t measure) {
  Numbers n;
  for (const auto& [member, r] : results) {
    const double x = r.measures[measure];
    if (!r.done() || !std::isfinite(x)) continue;
    if (n.values.empty() || x < n.least) n.least = x, n.least_member = member;
    if (n.values.empty() || x > n.most) n.most = x, n.most_member = member;
    n.values.push_back(x);
  }
  for (const double x : n.values) n.mean += x / static_cast<double>(n.values.size());
  for (const double x : n.values) n.deviation += (x - n.mean) * (x - n.mean);
  n.deviation = n.values.size() > 1 ? std::sqrt(n.deviation / static_cast<double>(n.values.size() - 1)) : 0;
  return n;
}

// Members in each of about √n equal parts of the range, as the outline of a histogram.
Panel histogram(const std::string& name, const Numbers& n) {
  Panel panel{.title = name, .x_label = name, .y_label = "members"};
  const auto parts = std::clamp(static_cast<std::size_t>(std::sqrt(static_cast<double>(n.values.size()))),
                                std::size_t{1}, std::size_t{60});
  const double width = n.most > n.least ? (n.most - n.least) / static_cast<double>(parts) : 1;
  std::vector<double> counts(parts);
  for (const double x : n.values)
    ++counts[std::min(parts - 1, static_cast<std::size_t>(std::max(0.0, (x - n.least) / width)))];
  Series outline;
  const auto add = [&](double x, double y) {
    outline.x.push_back(x);
    outline.y.push_back(y);
  };
  add(n.least, 0);
  for (std::size_t k = 0; k < parts; ++k) {
    add(n.least + width * static_cast<double>(k), counts[k]);
    add(n.least + width * static_cast<double>(k + 1), counts[k]);
  }
  add(n.least + width * static_cast<double>(parts), 0);
  panel.series.push_back(std::move(outline));
  return panel;
}

Panel scatter(const std::string& x, const std::string& y, const Results& results, std::size_t parameter,
              std::size_t measure) {
  Panel panel{.x_label = x, .y_label = y};
  Series points{.dots = true};
  const std::size_t every = (results.size() + kMostPoints - 1) / kMostPoints;
  for (const auto& [member, r] : results) {
    if (!r.done() || static_cast<std::size_t>(member) % every != 0 || !std::isfinite(r.measures[measure])) continue;
    points.x.push_back(r.parameters[parameter]);
    points.y.push_back(r.measures[measure]);
  }
  panel.series.push_back(std::move(points));
  return panel;
}

std::string link(long member, const std::vector<long>& replays) {
  if (std::find(replays.begin(), replays.end(), member) == replays.end()) return std::to_string(member);
  return fmt::format("<a href=\"members/{0}.html\">{0}</a>", member);
}

std::string measure_table(const Ensemble& ensemble, const std::vector<Numbers>& all, const std::vector<long>& replays) {
  std::string out =
      "<table><tr><th>measure</th><th>least</th><th>of member</th><th>mean</th><th>deviation</th><th>most</th>"
      "<th>of member</th><th>members</th></tr>\n";
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Numbers& n = all[k];
    if (n.values.empty()) continue;
    out += fmt::format(
        "<tr><td>{}</td><td>{:.6g}</td><td>{}</td><td>{:.6g}</td><td>{:.3g}</td><td>{:.6g}</td><td>{}</td><td>{}</td></"
        "tr>\n",
        escaped(ensemble.spec().measures[k]), n.least, link(n.least_member, replays), n.mean, n.deviation, n.most,
        link(n.most_member, replays), n.values.size());
  }
  return out + "</table>\n";
}

std::string failure_table(const Results& results, const std::vector<long>& replays) {
  std::string out = "<h2>Members that failed</h2>\n<table><tr><th>member</th><th>status</th><th>why</th></tr>\n";
  std::size_t count = 0;
  for (const auto& [member, r] : results) {
    if (r.done()) continue;
    if (++count <= kMostFailures)
      out += fmt::format("<tr><td>{}</td><td class=text>{}</td><td class=text>{}</td></tr>\n", link(member, replays),
                         escaped(r.status), escaped(r.message));
  }
  out += "</table>\n";
  if (count > kMostFailures) out += fmt::format("<p>and {} more: table.csv has all</p>\n", count - kMostFailures);
  return count > 0 ? out : "";
}

std::string replay_list(const Results& results, const Ensemble& ensemble, const std::vector<long>& replays) {
  if (replays.empty()) return "";
  std::string out = "<h2>Replays</h2>\n<ul>\n";
  for (const long member : replays) {
    const MemberResult& r = results.at(member);
    out += fmt::format("<li>member {}: {}", link(member, replays), r.status);
    for (std::size_t k = 0; k < r.measures.size(); ++k)
      out += fmt::format(", {} = {:.6g}", escaped(ensemble.spec().measures[k]), r.measures[k]);
    out += "</li>\n";
  }
  return out + "</ul>\n";
}

}  // namespace

void write_page(const std::filesystem::path& folder, const Ensemble& ensemble, const Results& results,
                const std::vector<long>& replays) {
  const auto done = std::count_if(results.begin(), results.end(), [](const auto& each) { return each.second.done(); });
  std::string page = fmt::format(fmt::runtime(kHead), escaped("Ensemble of " + ensemble.spec().name));
  page += fmt::format(
      "<p>{} members, {} done, {} failed; seed {}{}. All numbers: <a href=\"table.csv\">table.csv</a>.</p>\n",
      results.size(), done, static_cast<long>(results.size()) - done, ensemble.spec().seed,
      ensemble.spec().latin_hypercube ? ", Latin hypercube" : "");
  std::vector<Numbers> all;
  Figure histograms{.columns = 2, .panel_width = 560, .panel_height = 280};
  Figure scatters{.columns = 3, .panel_width = 380, .panel_height = 280};
  std::size_t left_out = 0;
  for (std::size_t k = 0; k < ensemble.spec().measures.size(); ++k) {
    const std::string& name = ensemble.spec().measures[k];
    all.push_back(gather(results, k));
    if (all.back().values.empty()) continue;
    histograms.panels.push_back(histogram(name, all.back()));
    for (std::size_t p = 0; p < ensemble.paths().size(); ++p) {
      if (scatters.panels.size() < kMostPlots)
        scatters.panels.push_back(scatter(ensemble.paths()[p], name, results, p, k));
      else ++left_out;
    }
  }
  page +=
      measure_table(ensemble, all, replays) + replay_list(results, ensemble, replays) + failure_table(results, replays);
  if (!histograms.panels.empty()) page += "<h2>Distributions</h2>\n" + to_svg(histograms);
  if (!scatters.panels.empty()) page += "<h2>Measures over parameters</h2>\n" + to_svg(scatters);
  if (left_out > 0) page += fmt::format("<p>{} more pairs are not drawn.</p>\n", left_out);
  page += "</body></html>\n";
  std::ofstream out(folder / "index.html", std::ios::binary);
  out << page;
  if (!out.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", (folder / "index.html").string()));
}

}  // namespace catena
