// Any bytes as USD text: refused with an InputError, or a model that has been checked.
#include <cstdint>
#include <string>

#include "catena/import/import.h"
#include "catena/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text = "#usda 1.0\n" + std::string(reinterpret_cast<const char*>(data), size);
    catena::import_robot_text(text, "fuzzed.usda", "/nowhere", {.missing_meshes = true});
  } catch (const catena::InputError&) {
  }
  return 0;
}
