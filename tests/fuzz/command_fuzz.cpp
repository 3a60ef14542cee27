// Any bytes as a message of a page: refused with an InputError, or a command.
#include <cstdint>

#include "catena/model/error.h"
#include "catena/serve/command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBodies = 7;
  try {
    catena::parse_command({reinterpret_cast<const char*>(data), size}, kBodies);
  } catch (const catena::InputError&) {
  }
  return 0;
}
