#include "catena/convert/convert.h"

#include <fmt/format.h>

#include <fstream>

namespace catena {
namespace {

void put(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw InputError{fmt::format("'{}' cannot be written", file.string())};
}

}  // namespace

ImportLedger save(const Scene& scene, const std::filesystem::path& file) {
  const std::string ending = file.extension().string(), name = file.filename().string();
  WrittenScene written;
  if (ending == ".yaml" || ending == ".yml") written = write_yaml(scene, name);
  else if (ending == ".xml") written = write_mjcf(scene, name);
  else if (ending == ".urdf") written = write_urdf(scene, name);
  else throw InputError{fmt::format("'{}': .yaml (scene), .xml (MJCF) and .urdf are written", file.string())};
  put(file, written.text);
  for (const WrittenScene::File& mesh : written.files) put(file.parent_path() / mesh.name, mesh.text);
  return std::move(written.ledger);
}

}  // namespace catena
