// Any bytes inside an SDF model: refused with an InputError, or a model that has been checked.
#include <cstdint>
#include <string>

#include "catena/import/import.h"
#include "catena/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text = "<sdf version='1.11'>" + std::string(reinterpret_cast<const char*>(data), size) + "</sdf>";
    catena::import_robot_text(text, "fuzzed.sdf", "/nowhere", {.missing_meshes = true});
  } catch (const catena::InputError&) {
  }
  return 0;
}
