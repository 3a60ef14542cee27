#include "catena/record/compare_runs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace catena {
namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isnan(d) ? INFINITY : d;
}

std::unordered_map<std::string, std::size_t> places(const RecordedTable& table) {
  std::unordered_map<std::string, std::size_t> out;
  for (std::size_t i = 0; i < table.names.size(); ++i) out.emplace(table.names[i], i);
  return out;
}

}  // namespace

RunDifference compare_runs(const RecordedTable& first, const RecordedTable& second, double tolerance) {
  RunDifference out;
  out.rows_first = first.rows();
  out.rows_second = second.rows();
  const auto in_first = places(first), in_second = places(second);
  for (const std::string& name : second.names)
    if (!in_first.contains(name)) out.only_second.push_back(name);
  const std::size_t rows = std::min(out.rows_first, out.rows_second);
  const auto time = in_first.find("time");
  bool equal = true;
  for (std::size_t k = 0; k < first.names.size(); ++k) {
    const auto other = in_second.find(first.names[k]);
    if (other == in_second.end()) {
      out.only_first.push_back(first.names[k]);
      continue;
    }
    ColumnDifference column{first.names[k]};
    const std::vector<double>&a = first.columns[k], &b = second.columns[other->second];
    for (std::size_t i = 0; i < rows; ++i) {
      equal = equal && same_bits(a[i], b[i]);
      const double d = difference(a[i], b[i]);
      const double t = time != in_first.end() ? first.columns[time->second][i] : static_cast<double>(i);
      if (d > column.largest) column.largest = d, column.time = t;
      const double scale = std::max({1.0, std::abs(a[i]), std::abs(b[i])});
      if (!(d <= tolerance * scale) && !column.first_beyond) column.first_beyond = t;
    }
    if (column.first_beyond && (!out.first_beyond || *column.first_beyond < *out.first_beyond))
      out.first_beyond = column.first_beyond;
    out.columns.push_back(std::move(column));
  }
  std::stable_sort(out.columns.begin(), out.columns.end(),
                   [](const ColumnDifference& a, const ColumnDifference& b) { return a.largest > b.largest; });
  const bool alike = out.only_first.empty() && out.only_second.empty() && out.rows_first == out.rows_second;
  out.equal = alike && equal;
  out.within = alike && !out.first_beyond;
  return out;
}

}  // namespace catena
