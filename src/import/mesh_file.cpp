#include "catena/import/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <tuple>

#include "catena/import/text_file.h"
#include "catena/model/error.h"

namespace catena {
namespace {

static_assert(std::endian::native == std::endian::little, "binary .stl files are little-endian");

// The words of a text, line by line.
class Words {
 public:
  Words(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    return true;
  }
  // The next word of the line, empty at its end.
  std::string_view word() {
    const std::size_t begin = line_.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return line_ = {};
    const std::size_t end = line_.find_first_of(" \t\r", begin);
    const std::string_view out = line_.substr(begin, end == std::string_view::npos ? end : end - begin);
    line_.remove_prefix(end == std::string_view::npos ? line_.size() : end);
    return out;
  }
  double number() {
    const std::string_view w = word();
    double x = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), x);
    if (w.empty() || error != std::errc{} || end != w.data() + w.size()) refuse(fmt::format("'{}' is not a number", w));
    return x;
  }
  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError{fmt::format("{}:{}: {}", name_, number_, why)};
  }

 private:
  std::string_view rest_, line_;
  const std::string& name_;
  int number_ = 0;
};

// Vertices by value, each once.
class Vertices {
 public:
  explicit Vertices(Mesh& mesh) : mesh_(mesh) {}
  int add(const Vec3& p) {
    const auto [found, added] = index_.emplace(std::tuple(p.x, p.y, p.z), static_cast<int>(mesh_.vertices.size()));
    if (added) mesh_.vertices.push_back(p);
    return found->second;
  }

 private:
  Mesh& mesh_;
  std::map<std::tuple<double, double, double>, int> index_;
};

Mesh parse_text_stl(std::string_view text, const std::string& name) {
  Mesh mesh;
  mesh.file = name;
  Vertices vertices(mesh);
  Words words(text, name);
  std::vector<int> corners;
  while (words.next_line()) {
    const std::string_view first = words.word();
    if (first == "vertex") corners.push_back(vertices.add(words.vector()));
    if (first != "endfacet") continue;
    if (corners.size() != 3) words.refuse(fmt::format("a facet has {} vertices; three are expected", corners.size()));
    mesh.triangles.push_back({corners[0], corners[1], corners[2]});
    corners.clear();
  }
  return mesh;
}

template <class T>
T bytes_at(std::string_view bytes, std::size_t offset) {
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

// 80 bytes of header, a count, and 50 bytes a triangle: normal, three corners, two spare.
constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;

Mesh parse_binary_stl(std::string_view bytes, const std::string& name, std::uint32_t count) {
  Mesh mesh;
  mesh.file = name;
  Vertices vertices(mesh);
  for (std::size_t t = 0; t < count; ++t) {
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t at = kStlHeader + t * kStlTriangle + 12 * (k + 1);
      triangle[k] =
          vertices.add({bytes_at<float>(bytes, at), bytes_at<float>(bytes, at + 4), bytes_at<float>(bytes, at + 8)});
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

}  // namespace

Mesh parse_obj(std::string_view text, const std::string& name, bool faces) {
  Mesh mesh;
  mesh.file = name;
  Words words(text, name);
  while (words.next_line()) {
    const std::string_view first = words.word();
    if (first == "v") mesh.vertices.push_back(words.vector());
    if (first != "f") continue;
    std::vector<int> corners;
    for (std::string_view w = words.word(); !w.empty(); w = words.word()) {
      // "7", "7/1", "7//3": the vertex is what stands before the slash, counted from 1, or from the end when negative.
      int index = 0;
      const int count = static_cast<int>(mesh.vertices.size());
      const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), index);
      const bool whole = end == w.data() + w.size() || *end == '/';
      if (index < 0) index += count + 1;
      if (error != std::errc{} || !whole || index < 1 || index > count) {
        words.refuse(fmt::format("face corner '{}' is not one of the {} vertices so far", w, count));
      }
      corners.push_back(index - 1);
    }
    if (corners.size() < 3)
      words.refuse(fmt::format("a face has {} corners; three or more are expected", corners.size()));
    // A face of four is cut along its shorter diagonal, others from their first corner.
    const auto diagonal = [&](std::size_t a, std::size_t b) {
      return norm(mesh.vertices[static_cast<std::size_t>(corners[b])] -
                  mesh.vertices[static_cast<std::size_t>(corners[a])]);
    };
    if (corners.size() == 4 && diagonal(1, 3) <= diagonal(0, 2))
      std::rotate(corners.begin(), corners.begin() + 1, corners.end());
    for (std::size_t k = 2; k < corners.size(); ++k) mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  }
  if (mesh.triangles.empty() && faces)
    throw InputError{fmt::format("{}: has no faces; lines 'f 1 2 3' are expected", name)};
  return mesh;
}

Mesh parse_stl(std::string_view bytes, const std::string& name) {
  // A binary file may also begin with "solid": its length tells.
  if (bytes.size() >= kStlHeader) {
    const auto count = bytes_at<std::uint32_t>(bytes, 80);
    if (count > 0 && bytes.size() == kStlHeader + kStlTriangle * std::size_t{count})
      return parse_binary_stl(bytes, name, count);
  }
  if (!bytes.starts_with("solid")) {
    throw InputError{fmt::format(
        "{}: is neither a text .stl (begins with 'solid') nor a binary one of the length its count says", name)};
  }
  Mesh mesh = parse_text_stl(bytes, name);
  if (mesh.triangles.empty()) throw InputError{fmt::format("{}: has no facets", name)};
  return mesh;
}

Mesh load_mesh(const std::filesystem::path& file) {
  const std::string name = file.lexically_normal().string();
  const std::string ending = file.extension().string();
  try {
    if (ending == ".obj" || ending == ".OBJ") return parse_obj(read_text_file(file.lexically_normal()), name);
    if (ending == ".stl" || ending == ".STL") return parse_stl(read_text_file(file.lexically_normal()), name);
  } catch (const FileError& error) {
    throw InputError{fmt::format("{}; the path is relative to the scene file", error.what())};
  }
  throw InputError{fmt::format("'{}' is not a mesh that can be read; .obj and .stl are", name)};
}

}  // namespace catena
