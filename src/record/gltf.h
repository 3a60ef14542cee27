// A run as binary glTF 2.0 (.glb), for Blender and every other program that reads it: a node a body with its shapes as meshes, and one animation of
// their positions and orientations. The format is glTF 2.0 of the Khronos Group.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "catena/model/model.h"
#include "catena/record/recording.h"

namespace catena {

// The file's bytes. glTF is y-up and its quaternions are x y z w: the node `scene`, parent of all, turns up (against gravity; z without gravity) to
// y, and below it everything has the scene's own coordinates. Bodies without shapes are bars from the centre of mass to their joints, as in the
// page. Colours are those of the shapes, or the page's. Columns that the bodies do not have leave them where they are. Cost: 28 bytes a body and
// sample. Throws InputError when the file would have 4 GB or more.
std::string write_glb(const Model& model, const std::vector<std::string>& columns,
                      const std::vector<std::vector<double>>& values, const std::string& what);

// Of a recording that was read back.
std::string write_glb(const Model& model, const RecordedTable& table);

// A recording that becomes such a file when it is finished. Throws InputError when the path cannot be written.
std::unique_ptr<Recording> open_glb(const std::filesystem::path& file, const Model& model,
                                    const std::vector<std::string>& columns);

}  // namespace catena
