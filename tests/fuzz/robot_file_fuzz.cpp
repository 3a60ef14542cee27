// Any bytes as a robot file: refused with an InputError, or a model that has been checked.
#include <cstdint>
#include <string_view>

#include "catena/import/import.h"
#include "catena/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    catena::import_robot_text({reinterpret_cast<const char*>(data), size}, "fuzzed.xml", "/nowhere",
                              {.missing_meshes = true});
  } catch (const catena::InputError&) {
  }
  return 0;
}
