// Any bytes as a mesh, .obj or .stl by the first of them: refused with an InputError, or triangles between vertices that there are.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catena/import/mesh_file.h"
#include "catena/model/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const catena::Mesh mesh =
        data[0] % 2 == 0 ? catena::parse_obj(bytes, "fuzzed.obj") : catena::parse_stl(bytes, "fuzzed.stl");
    for (const auto& triangle : mesh.triangles)
      for (const int corner : triangle)
        if (corner < 0 || static_cast<std::size_t>(corner) >= mesh.vertices.size()) std::abort();
  } catch (const catena::InputError&) {
  }
  return 0;
}
