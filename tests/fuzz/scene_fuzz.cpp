// Any bytes as a scene file: refused with an InputError, or a scene. What follows a zero byte is an override, as of --set.
#include "catena/scene/scene.h"

#include <cstdint>
#include <string>
#include <vector>

#include "catena/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == 0 && parts.size() < 5) parts.emplace_back();
    else parts.back() += static_cast<char>(data[i]);
  }
  const std::vector<std::string> overrides(parts.begin() + 1, parts.end());
  try {
    catena::load_text(parts[0], "fuzzed.yaml", "tests/data/fuzz/included", overrides);
  } catch (const catena::InputError&) {
  }
  return 0;
}
