// What became of every element and attribute of a file in another format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace catena {

enum class Fate : std::uint8_t { used, approximated, ignored, defaulted };

struct LedgerEntry {
  std::string file;
  int line = 0;
  std::string element, attribute;  // attribute empty: the element as a whole
  Fate what = Fate::used;
  std::string why;
  bool physics = true;  // false: looks, names and remarks, which no motion depends on
};

using ImportLedger = std::vector<LedgerEntry>;

}  // namespace catena
