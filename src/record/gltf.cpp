#include "catena/record/gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "catena/model/error.h"
#include "catena/model/stretching_form.h"
#include "catena/record/packing.h"
#include "catena/record/palette.h"
#include "catena/record/surface.h"

namespace catena {
namespace {

using nlohmann::json;

constexpr int kFloat = 5126, kUnsigned = 5125, kVertices = 34962, kIndices = 34963;  // the specification's constants

json numbers(const Vec3& v) { return {v.x, v.y, v.z}; }
json numbers(const Quat& q) { return {q.x, q.y, q.z, q.w}; }

// The shortest turn that takes one direction to another; both are unit vectors.
Quat turn(const Vec3& from, const Vec3& to) {
  const Vec3 axis = cross(from, to);
  const double w = 1 + dot(from, to);
  if (w > 1e-9) return normalized(Quat{w, axis.x, axis.y, axis.z});
  const Vec3 other = std::abs(from.x) < 0.6 ? cross(from, Vec3{1, 0, 0}) : cross(from, Vec3{0, 1, 0});
  return normalized(Quat{0, other.x, other.y, other.z});
}

// The parts of the file: the description, and the one buffer it points into.
class Document {
 public:
  Document() {
    for (const char* list : {"nodes", "meshes", "materials", "accessors", "bufferViews"}) json_[list] = json::array();
  }

  int add(const char* list, json item) {
    json_[list].push_back(std::move(item));
    return static_cast<int>(json_[list].size()) - 1;
  }
  json& at(const char* list, int index) { return json_[list][static_cast<std::size_t>(index)]; }
  json& root() { return json_; }

  // Rows of `width` numbers of 32 bits. A target of 0: neither vertices nor indices.
  template <class T>
  int accessor(const std::vector<T>& values, std::size_t width, int target, bool bounds) {
    static constexpr std::array<const char*, 5> kTypes{"", "SCALAR", "", "VEC3", "VEC4"};
    const int view =
        add("bufferViews", {{"buffer", 0}, {"byteOffset", bytes_.data().size()}, {"byteLength", 4 * values.size()}});
    if (target != 0) at("bufferViews", view)["target"] = target;
    for (const T value : values) bytes_.u32(std::bit_cast<std::uint32_t>(value));
    json item{{"bufferView", view},
              {"componentType", std::is_same_v<T, float> ? kFloat : kUnsigned},
              {"count", values.size() / width},
              {"type", kTypes[width]}};
    if (bounds)
      for (std::size_t k = 0; k < width; ++k) {
        T low = values[k], high = values[k];
        for (std::size_t i = k; i < values.size(); i += width) {
          low = std::min(low, values[i]);
          high = std::max(high, values[i]);
        }
        item["min"].push_back(low);
        item["max"].push_back(high);
      }
    return add("accessors", std::move(item));
  }

  // Header, chunk of JSON, chunk of bytes; chunks are multiples of four bytes.
  std::string file() {
    json_["buffers"] = {{{"byteLength", bytes_.data().size()}}};
    std::string text = json_.dump(-1, ' ', false, json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const std::size_t size = 12 + 8 + text.size() + 8 + bytes_.data().size();
    if (size > std::numeric_limits<std::uint32_t>::max())
      throw InputError("a .glb holds 4 GB at most: record fewer samples (--sample)");
    Packer out;
    const auto chunk = [&](const std::string& data, const char* name) {
      out.u32(static_cast<std::uint32_t>(data.size()));
      out.bytes({name, 4});
      out.bytes(data);
    };
    out.bytes("glTF");
    out.u32(2);
    out.u32(static_cast<std::uint32_t>(size));
    chunk(text, "JSON");
    chunk(bytes_.data(), "BIN");  // and its NUL
    return out.data();
  }

 private:
  json json_;
  Packer bytes_;
};

struct Look {
  Rgb colour{};
  double opacity = 1;
};

class GltfWriter {
 public:
  GltfWriter(const Model& model, const std::vector<std::string>& columns,
             const std::vector<std::vector<double>>& values)
      : model_(model), values_(values) {
    for (std::size_t c = 0; c < columns.size(); ++c) index_.emplace(columns[c], c);
    const std::vector<double>* times = column("time");
    if (times == nullptr) throw InputError("a .glb needs the column 'time'");
    // Times are 32-bit numbers there and have to grow.
    for (std::size_t row = 0; row < times->size(); ++row) {
      const auto time = static_cast<float>((*times)[row]);
      if (!times_.empty() && !(time > times_.back())) continue;
      times_.push_back(time);
      rows_.push_back(row);
    }
    measure();
  }

  std::string file(const std::string& what);

 private:
  const std::vector<double>* column(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &values_[found->second];
  }
  void measure();
  int surface(const SurfaceOf& made);
  int mesh(int surface, const Look& look);
  json shape_node(const Shape& shape, const Look& look);
  std::vector<int> body_parts(std::size_t body);
  std::vector<int> bars(std::size_t body, const Look& look);
  int body_node(std::size_t body);
  std::vector<float> scales_of(std::size_t body) const;
  int ground_node();
  int plane_node(const Plane& plane, const Shape& shape);
  void animate(int node, const std::string& path, std::vector<float> numbers, std::size_t width);

  const Model& model_;
  const std::vector<std::vector<double>>& values_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<float> times_;
  std::vector<std::size_t> rows_;  // of those times
  Vec3 centre_{};
  double size_ = 1;  // m: what the bodies extend over, at first
  Document document_;
  std::vector<std::array<int, 3>> surfaces_;   // accessors: positions, normals, indices
  std::map<std::string, int> by_key_;          // surfaces by what they are of
  std::map<std::pair<int, int>, int> meshes_;  // by surface and material
  std::map<std::array<double, 4>, int> materials_;
  json channels_ = json::array(), samplers_ = json::array();
  int clock_ = -1;  // accessor of the times
};

void GltfWriter::measure() {
  std::vector<double> reach(model_.bodies.size(), 0.0);  // from the centre of mass to the joints
  for (const Joint& joint : model_.joints)
    for (const auto& [owner, anchor] : {std::pair{joint.a, joint.anchor_a}, std::pair{joint.b, joint.anchor_b}})
      if (owner.value() >= 0) {
        double& most = reach[static_cast<std::size_t>(owner.value())];
        most = std::max(most, norm(anchor));
      }
  Vec3 low{INFINITY, INFINITY, INFINITY}, high = -low;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const double r = reach[b];
    const std::vector<double>*x = column(body.name + ".x"), *y = column(body.name + ".y"),
          *z = column(body.name + ".z");
    if (x == nullptr || y == nullptr || z == nullptr || rows_.empty()) continue;
    const Vec3 p{(*x)[rows_[0]], (*y)[rows_[0]], (*z)[rows_[0]]};
    low = {std::min(low.x, p.x - r), std::min(low.y, p.y - r), std::min(low.z, p.z - r)};
    high = {std::max(high.x, p.x + r), std::max(high.y, p.y + r), std::max(high.z, p.z + r)};
  }
  if (!(norm(high - low) < INFINITY)) return;
  centre_ = 0.5 * (low + high);
  size_ = std::max(norm(high - low) / 2, 1e-3);
}

int GltfWriter::surface(const SurfaceOf& made) {
  if (!made.key.empty())
    if (const auto found = by_key_.find(made.key); found != by_key_.end()) return found->second;
  const auto flat = [](const std::vector<std::array<float, 3>>& points) {
    std::vector<float> out;
    for (const auto& point : points) out.insert(out.end(), point.begin(), point.end());
    return out;
  };
  surfaces_.push_back({document_.accessor(flat(made.surface.points), 3, kVertices, true),
                       document_.accessor(flat(made.surface.normals), 3, kVertices, false),
                       document_.accessor(made.surface.corners, 1, kIndices, false)});
  const int index = static_cast<int>(surfaces_.size()) - 1;
  if (!made.key.empty()) by_key_[made.key] = index;
  return index;
}

int GltfWriter::mesh(int surface, const Look& look) {
  const std::array<double, 4> colour{look.colour[0], look.colour[1], look.colour[2], look.opacity};
  auto [material, fresh] = materials_.try_emplace(colour, 0);
  if (fresh) {
    json item{
        {"pbrMetallicRoughness", {{"baseColorFactor", colour}, {"metallicFactor", 0.08}, {"roughnessFactor", 0.42}}}};
    if (look.opacity < 1) item["alphaMode"] = "BLEND";
    material->second = document_.add("materials", std::move(item));
  }
  auto [mesh, unseen] = meshes_.try_emplace({surface, material->second}, 0);
  if (!unseen) return mesh->second;
  const auto& [points, normals, corners] = surfaces_[static_cast<std::size_t>(surface)];
  const json primitive{{"attributes", {{"POSITION", points}, {"NORMAL", normals}}},
                       {"indices", corners},
                       {"material", material->second}};
  mesh->second = document_.add("meshes", {{"primitives", {primitive}}});
  return mesh->second;
}

// A node for a solid shape; null for points, planes and what has no surface.
json GltfWriter::shape_node(const Shape& shape, const Look& look) {
  const std::optional<SurfaceOf> made = surface_of(shape.geometry);
  if (!made || made->surface.corners.empty()) return nullptr;
  Look own = look;
  if (shape.color) {
    const auto& c = *shape.color;
    own = {{linear_light(c[0]), linear_light(c[1]), linear_light(c[2])}, c[3]};
  }
  return {{"mesh", mesh(surface(*made), own)},
          {"translation", numbers(shape.position)},
          {"rotation", numbers(shape.orientation)},
          {"scale", numbers(made->scale)}};
}

// Bars from the centre of mass to the joints, and a ball at the centre of mass (viewer/src/looks.ts).
std::vector<int> GltfWriter::bars(std::size_t body, const Look& look) {
  std::vector<Vec3> anchors;
  for (const Joint& joint : model_.joints)
    for (const auto& [owner, anchor] : {std::pair{joint.a, joint.anchor_a}, std::pair{joint.b, joint.anchor_b}})
      if (owner.value() == static_cast<int>(body) && norm(anchor) > 1e-6) anchors.push_back(anchor);
  double longest = 0;
  for (const Vec3& anchor : anchors) longest = std::max(longest, norm(anchor));
  const double thick = anchors.empty() ? 0.012 * size_ : std::min(0.012 * size_, 0.09 * longest);
  std::vector<Shape> shapes{{.geometry = Sphere{anchors.empty() ? 1.5 * thick : 1.7 * thick}}};
  if (model_.bodies[body].kind != BodyKind::particle)
    for (const Vec3& anchor : anchors)
      shapes.push_back({.geometry = Capsule{thick, norm(anchor)},
                        .position = 0.5 * anchor,
                        .orientation = turn({0, 0, 1}, anchor / norm(anchor))});
  std::vector<int> parts;
  for (const Shape& shape : shapes) parts.push_back(document_.add("nodes", shape_node(shape, look)));
  return parts;
}

std::vector<int> GltfWriter::body_parts(std::size_t body) {
  const Look look{body_colour(body, model_.bodies.size())};
  std::vector<int> parts;
  for (const Shape& shape : model_.bodies[body].shapes)
    if (json node = shape_node(shape, look); !node.is_null()) parts.push_back(document_.add("nodes", std::move(node)));
  return parts.empty() ? bars(body, look) : parts;
}

// How far each axis of a body is stretched, row by row; empty where it keeps its size.
std::vector<float> GltfWriter::scales_of(std::size_t body) const {
  const Body& b = model_.bodies[body];
  std::array<const std::vector<double>*, 3> axes{};
  if (const auto* stretching = dynamic_cast<const StretchingForm*>(b.form.get()); stretching) {
    for (std::size_t k = 0; k < 3; ++k)
      axes[k] = column(fmt::format("{}.form.q[{}]", b.name, stretching->stretches().of_axis[k]));
  } else {
    axes.fill(column(b.name + ".scale"));
  }
  std::vector<float> out;
  if (axes == decltype(axes){}) return out;
  for (const std::size_t row : rows_)
    for (const auto* axis : axes) out.push_back(axis ? static_cast<float>((*axis)[row]) : 1.0F);
  return out;
}

int GltfWriter::body_node(std::size_t body) {
  const std::string& name = model_.bodies[body].name;
  const int node = document_.add("nodes", {{"name", name}, {"children", body_parts(body)}});
  // Fills rows of `suffixes`' columns; empty when one is missing.
  const auto rows_of = [&](std::initializer_list<const char*> suffixes) {
    std::vector<const std::vector<double>*> sources;
    for (const char* suffix : suffixes) sources.push_back(column(name + suffix));
    std::vector<float> out;
    if (std::find(sources.begin(), sources.end(), nullptr) != sources.end()) return out;
    for (const std::size_t row : rows_)
      for (const auto* source : sources) out.push_back(static_cast<float>((*source)[row]));
    return out;
  };
  animate(node, "translation", rows_of({".x", ".y", ".z"}), 3);
  std::vector<float> turns = rows_of({".qx", ".qy", ".qz", ".qw"});
  // q and −q are one orientation; players go the straight way from one sample to the next, so neighbours have the same sign. Unit to 32 bits.
  for (std::size_t i = 0; i + 3 < turns.size(); i += 4) {
    double product = 0, square = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      square += static_cast<double>(turns[i + k]) * turns[i + k];
      if (i > 0) product += static_cast<double>(turns[i + k]) * turns[i + k - 4];
    }
    const double factor = (product < 0 ? -1 : 1) / std::sqrt(square);
    for (std::size_t k = 0; k < 4; ++k) turns[i + k] = static_cast<float>(factor * turns[i + k]);
  }
  animate(node, "rotation", std::move(turns), 4);
  animate(node, "scale", scales_of(body), 3);
  return node;
}

// The first row is the node's own pose; more than one row make a channel of the animation.
void GltfWriter::animate(int node, const std::string& path, std::vector<float> numbers, std::size_t width) {
  if (numbers.empty()) return;
  document_.at("nodes", node)[path] =
      std::vector<float>(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(width));
  if (rows_.size() < 2) return;
  if (clock_ < 0) clock_ = document_.accessor(times_, 1, 0, true);
  const int output = document_.accessor(numbers, width, 0, false);
  samplers_.push_back({{"input", clock_}, {"output", output}, {"interpolation", "LINEAR"}});
  channels_.push_back({{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

// A square in the plane under the bodies, six times as wide as they are.
int GltfWriter::plane_node(const Plane& plane, const Shape& shape) {
  const Vec3 normal = rotate(shape.orientation, plane.normal / norm(plane.normal));
  const Vec3 through = shape.position + (plane.offset / norm(plane.normal)) * normal;
  const Vec3 foot = centre_ + dot(through - centre_, normal) * normal;
  const int made = surface({"", square(12 * size_), {1, 1, 1}});
  return document_.add("nodes", {{"name", "ground plane"},
                                 {"mesh", mesh(made, {ground_colour(), 1})},
                                 {"translation", numbers(foot)},
                                 {"rotation", numbers(turn({0, 0, 1}, normal))}});
}

int GltfWriter::ground_node() {
  std::vector<int> parts;
  for (const Shape& shape : model_.ground_shapes) {
    if (const auto* plane = std::get_if<Plane>(&shape.geometry)) parts.push_back(plane_node(*plane, shape));
    else if (json node = shape_node(shape, {ground_colour(), 1}); !node.is_null())
      parts.push_back(document_.add("nodes", std::move(node)));
  }
  return parts.empty() ? -1 : document_.add("nodes", {{"name", "ground"}, {"children", parts}});
}

std::string GltfWriter::file(const std::string& what) {
  json& root = document_.root();
  root["asset"] = {{"version", "2.0"}, {"generator", "catena " CATENA_VERSION}};
  const Vec3 up = norm(model_.gravity) > 0 ? -model_.gravity / norm(model_.gravity) : Vec3{0, 0, 1};
  const int top =
      document_.add("nodes", {{"name", what.empty() ? "scene" : what}, {"rotation", numbers(turn(up, {0, 1, 0}))}});
  std::vector<int> children;
  for (std::size_t body = 0; body < model_.bodies.size(); ++body) children.push_back(body_node(body));
  if (const int ground = ground_node(); ground >= 0) children.push_back(ground);
  if (!children.empty()) document_.at("nodes", top)["children"] = children;
  root["scene"] = 0;
  root["scenes"] = {{{"nodes", {top}}}};
  if (!channels_.empty()) root["animations"] = {{{"name", "run"}, {"channels", channels_}, {"samplers", samplers_}}};
  for (const char* list : {"meshes", "materials", "accessors", "bufferViews"})
    if (root[list].empty()) root.erase(list);  // an empty list is not allowed
  return document_.file();
}

}  // namespace

std::string write_glb(const Model& model, const std::vector<std::string>& columns,
                      const std::vector<std::vector<double>>& values, const std::string& what) {
  return GltfWriter(model, columns, values).file(what);
}

std::string write_glb(const Model& model, const RecordedTable& table) {
  return write_glb(model, table.names, table.columns, model.name);
}

}  // namespace catena
