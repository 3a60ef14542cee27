#include "catena/scene/fingerprint.h"

#include <bit>
#include <string_view>

#include "catena/import/import.h"
#include "catena/scene/resolved_text.h"

namespace catena {
namespace {

// FNV-1a, 64 bits.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(double number) {
    auto bits = std::bit_cast<std::uint64_t>(number);
    for (int i = 0; i < 8; ++i, bits >>= 8) add_byte(static_cast<unsigned char>(bits & 0xFFU));
  }
  void add(const Vec3& v) {
    for (const double x : {v.x, v.y, v.z}) add(x);
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }

  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

void add_meshes(const std::vector<Shape>& shapes, Hash& hash) {
  for (const Shape& shape : shapes)
    if (const auto* mesh = std::get_if<Mesh>(&shape.geometry)) {
      for (const Vec3& v : mesh->vertices) hash.add(v);
      for (const auto& triangle : mesh->triangles)
        for (const int corner : triangle) hash.add(static_cast<double>(corner));
    }
}

}  // namespace

std::uint64_t fingerprint(const Scene& scene) {
  Hash hash;
  if (is_robot_text(scene.source)) {
    hash.add(scene.source);
  } else if (!scene.source.empty()) {
    const Source source{"scene", "."};
    Value root = parse_yaml(scene.source, source);
    for (std::size_t i = root.keys.size(); i-- > 0;) {
      if (root.keys[i].text != "simulate" && root.keys[i].text != "name") continue;
      root.keys.erase(root.keys.begin() + static_cast<std::ptrdiff_t>(i));
      root.items.erase(root.items.begin() + static_cast<std::ptrdiff_t>(i));
    }
    hash.add(resolved_text(root, "."));
  }
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    const Body& body = scene.model.bodies[i];
    hash.add(body.name);
    hash.add(body.mass);
    hash.add(scene.initial.bodies[i].position);
    hash.add(scene.initial.bodies[i].velocity);
    add_meshes(body.shapes, hash);
  }
  for (const Joint& joint : scene.model.joints) hash.add(joint.name);
  add_meshes(scene.model.ground_shapes, hash);
  return hash.value();
}

}  // namespace catena
