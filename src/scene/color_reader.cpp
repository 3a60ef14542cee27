#include "catena/scene/color_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <utility>

#include "catena/model/model.h"
#include "catena/scene/draft.h"

namespace catena {
namespace {

using Color = std::array<float, 4>;

// As in CSS.
constexpr std::array<std::pair<std::string_view, unsigned>, 22> kColors{
    {{"black", 0x000000},  {"white", 0xffffff},   {"grey", 0x808080},   {"silver", 0xc0c0c0}, {"dimgray", 0x696969},
     {"red", 0xff0000},    {"crimson", 0xdc143c}, {"tomato", 0xff6347}, {"orange", 0xffa500}, {"gold", 0xffd700},
     {"yellow", 0xffff00}, {"green", 0x008000},   {"lime", 0x00ff00},   {"olive", 0x808000},  {"teal", 0x008080},
     {"cyan", 0x00ffff},   {"skyblue", 0x87ceeb}, {"blue", 0x0000ff},   {"navy", 0x000080},   {"purple", 0x800080},
     {"pink", 0xffc0cb},   {"brown", 0xa52a2a}}};

Color unpacked(unsigned rgb) {
  const auto part = [&](int shift) { return static_cast<float>((rgb >> shift) & 0xFFU) / 255.0F; };
  return {part(16), part(8), part(0), 1};
}

Color from_list(const Value& value) {
  if (value.items.size() != 3 && value.items.size() != 4)
    fail(value.at, "color: three numbers from 0 to 1 (red, green, blue) are expected, or four with the opacity");
  Color out{0, 0, 0, 1};
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const double part = read_number(value.items[i], "color", quantity::kNumber);
    if (!(part >= 0 && part <= 1)) fail(value.items[i].at, fmt::format("color: {} is not between 0 and 1", part));
    out[i] = static_cast<float>(part);
  }
  return out;
}

}  // namespace

Color read_color(const Value& value) {
  if (value.is_list()) return from_list(value);
  const std::string word = read_text(value, "color");
  if (word.size() == 7 && word.front() == '#') {
    unsigned rgb = 0;
    const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), rgb, 16);
    if (error == std::errc{} && end == word.data() + word.size()) return unpacked(rgb);
  }
  std::vector<std::string> known;
  for (const auto& [name, rgb] : kColors) {
    if (name == word) return unpacked(rgb);
    known.emplace_back(name);
  }
  const std::string near = nearest(word, known);
  fail(value.at,
       fmt::format("color: '{}' is not known; {}write [red, green, blue] from 0 to 1, \"#rrggbb\" or one of {}", word,
                   near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(known, ", ")));
}

}  // namespace catena
