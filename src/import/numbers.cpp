#include "catena/import/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace catena {

std::vector<double> read_numbers(const XmlTree& tree, const XmlNode& node, std::string_view attribute,
                                 std::string_view text, std::size_t least, std::size_t most) {
  std::vector<double> out;
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (true) {
    while (p != end && blank(*p)) ++p;
    if (p == end) break;
    const char* word = p;
    while (p != end && !blank(*p)) ++p;
    const char* first = *word == '+' ? word + 1 : word;
    double x = 0;
    const auto [stop, error] = std::from_chars(first, p, x);
    if (error != std::errc{} || stop != p || !std::isfinite(x))
      fail(tree, node,
           fmt::format("{}: '{}' is not a finite number", attribute,
                       std::string_view(word, static_cast<std::size_t>(p - word)).substr(0, 40)));
    out.push_back(x);
  }
  if (out.size() < least || out.size() > most)
    fail(tree, node,
         fmt::format("{}: {} {} are expected, not {}", attribute, least == most ? "exactly" : "at least", least,
                     out.size()));
  return out;
}

double read_one(const XmlTree& tree, const XmlNode& node, std::string_view attribute, std::string_view text) {
  return read_numbers(tree, node, attribute, text, 1, 1)[0];
}

Vec3 read_three(const XmlTree& tree, const XmlNode& node, std::string_view attribute, std::string_view text) {
  const std::vector<double> x = read_numbers(tree, node, attribute, text, 3, 3);
  return {x[0], x[1], x[2]};
}

bool read_flag(const XmlTree& tree, const XmlNode& node, std::string_view attribute, std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  fail(tree, node, fmt::format("{}: 'true' or 'false' is expected, not '{}'", attribute, text.substr(0, 40)));
}

Quat from_rpy(const Vec3& rpy) {
  return normalized(exp_rotation(Vec3{0, 0, rpy.z}) * exp_rotation(Vec3{0, rpy.y, 0}) *
                    exp_rotation(Vec3{rpy.x, 0, 0}));
}

}  // namespace catena
