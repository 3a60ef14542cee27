// Scenes out: a scene as text in a scene file (.yaml), MJCF (.xml) or URDF (.urdf). What a format cannot say is in the ledger.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

struct WrittenScene {
  std::string text;
  struct File {
    std::string name, text;
  };
  std::vector<File> files;  // meshes, to be put beside it
  ImportLedger ledger;      // what was approximated or ignored; `element` names the body, joint or other part
};

// `name` is that of the file to be: its stem is put before the names of mesh files. All numbers have 17 digits.
WrittenScene write_yaml(const Scene& scene, const std::string& name = "scene.yaml");
WrittenScene write_mjcf(const Scene& scene, const std::string& name = "scene.xml");
WrittenScene write_urdf(const Scene& scene, const std::string& name = "scene.urdf");

// Writes the file and its meshes in the format that the ending of the name tells. Throws InputError for other endings, for parts without
// which nothing is left of a scene (particles in MJCF), and where it cannot write.
ImportLedger save(const Scene& scene, const std::filesystem::path& file);

}  // namespace catena
