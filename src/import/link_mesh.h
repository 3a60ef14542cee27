// The mesh that a link of a URDF or SDF file names, found, read and scaled.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "catena/import/import.h"
#include "catena/import/rules.h"

namespace catena {

// What a reader has at hand.
struct MeshReading {
  const XmlTree& tree;
  const std::filesystem::path& folder;
  const ImportOptions& options;
  LedgerWriter& ledger;
  Warnings& warnings;
};

// A hull where it collides. Nothing where the file is not there, which is said, or where the hull has no volume. Throws InputError where a mesh
// that collides is not there, unless the options leave it out.
std::optional<Geometry> link_mesh(const MeshReading& reading, const XmlNode& node, const std::string& name,
                                  const std::optional<Vec3>& scale, bool collides);

}  // namespace catena
