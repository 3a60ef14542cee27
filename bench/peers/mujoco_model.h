// A MuJoCo model from its text.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace peers {

inline mjModel* load_mujoco(const std::string& text) {
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "scene.xml", static_cast<int>(text.size()));
  std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), "scene.xml")], text.data(), text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("scene.xml", vfs.get(), error, sizeof error);
  mj_deleteVFS(vfs.get());
  if (!model) {
    std::fprintf(stderr, "mujoco: %s\n", error);
    std::exit(1);
  }
  return model;
}

}  // namespace peers
