// Any bytes as the fields of a checkpoint, under a first line and a hash that are right: refused with an InputError, or a finite state.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "catena/model/error.h"
#include "catena/record/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes = "catena checkpoint 1\n";
  bytes.append(reinterpret_cast<const char*>(data), size);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  bytes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  try {
    const catena::Checkpoint checkpoint = catena::parse_checkpoint(bytes, "fuzzed.state");
    if (!std::isfinite(checkpoint.state.time)) std::abort();
  } catch (const catena::InputError&) {
  }
  return 0;
}
