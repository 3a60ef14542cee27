// Triangle meshes from files: Wavefront .obj, and .stl both binary and text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "catena/model/shape.h"

namespace catena {

// Reads a mesh by the ending of its name. Faces of more than three corners become fans; equal vertices of an .stl become one.
// Throws InputError.
Mesh load_mesh(const std::filesystem::path& file);

// The same from text or bytes; `name` stands for the file in messages.
Mesh parse_obj(std::string_view text, const std::string& name, bool faces = true);
Mesh parse_stl(std::string_view bytes, const std::string& name);

}  // namespace catena
