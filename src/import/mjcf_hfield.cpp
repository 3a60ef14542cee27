// MJCF: height fields as surfaces of triangles with a floor and walls.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>

#include "catena/import/mjcf_reader.h"
#include "catena/import/text_file.h"
#include "catena/math/scalar.h"

namespace catena::mjcf {
namespace {

constexpr std::size_t kMostHeights = 1'000'000;

struct Heights {
  int rows = 0, columns = 0;
  std::vector<double> z;  // row by row, the row of the least y first
};

// Two 32-bit whole numbers and as many floats as rows times columns.
Heights read_binary(std::string_view bytes) {
  Heights out;
  std::int32_t size[2] = {0, 0};
  if (bytes.size() < sizeof size) throw InputError{"is no height field: it has no size"};
  std::memcpy(size, bytes.data(), sizeof size);
  const auto count = static_cast<std::size_t>(std::max(size[0], 0)) * static_cast<std::size_t>(std::max(size[1], 0));
  if (size[0] < 2 || size[1] < 2 || count > kMostHeights || bytes.size() != sizeof size + count * sizeof(float))
    throw InputError{"is no height field in MuJoCo's binary format"};
  out.rows = size[0];
  out.columns = size[1];
  for (std::size_t i = 0; i < count; ++i) {
    float x = 0;
    std::memcpy(&x, bytes.data() + sizeof size + i * sizeof x, sizeof x);
    out.z.push_back(x);
  }
  return out;
}

// Grey levels; the first row of a picture is that of the greatest y.
Heights read_picture(std::string_view bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto refuse = [&](const std::string& why) {
    png_image_free(&image);
    throw InputError{"is no picture of heights: " + why};
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) refuse(image.message);
  const std::size_t count = std::size_t{image.width} * image.height;
  if (image.width < 2 || image.height < 2 || count > kMostHeights)
    refuse(fmt::format("{} times {} points; at most {} are read", image.width, image.height, kMostHeights));
  image.format = PNG_FORMAT_GRAY;
  std::vector<png_byte> grey(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, grey.data(), 0, nullptr) == 0) refuse(image.message);
  Heights out{static_cast<int>(image.height), static_cast<int>(image.width), {}};
  for (std::size_t r = image.height; r-- > 0;)
    out.z.insert(out.z.end(), grey.begin() + static_cast<std::ptrdiff_t>(r * image.width),
                 grey.begin() + static_cast<std::ptrdiff_t>((r + 1) * image.width));
  return out;
}

// Heights from 0 to 1, as the compiler scales them; a level field is 0.
void scale(std::vector<double>& z) {
  const auto [low, high] = std::minmax_element(z.begin(), z.end());
  const double least = *low, span = *high - *low;
  for (double& x : z) x = span > 0 ? (x - least) / span : 0;
}

// The surface over a grid of points, and a box under it down to −base: a closed body of triangles.
Mesh surface(const Heights& field, double rx, double ry, double top, double base) {
  Mesh mesh;
  const auto point = [&](int r, int c) {
    return Vec3{rx * (2.0 * c / (field.columns - 1) - 1), ry * (2.0 * r / (field.rows - 1) - 1), 0};
  };
  for (int r = 0; r < field.rows; ++r)
    for (int c = 0; c < field.columns; ++c) {
      Vec3 p = point(r, c);
      p.z = top * field.z[at(r * field.columns + c)];
      mesh.vertices.push_back(p);
    }
  const int under = static_cast<int>(mesh.vertices.size());
  for (int r = 0; r < field.rows; ++r)
    for (int c = 0; c < field.columns; ++c) mesh.vertices.push_back(point(r, c) - Vec3{0, 0, base});
  const auto index = [&](int r, int c) { return r * field.columns + c; };
  const auto quad = [&](int a, int b, int c, int d) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  };
  for (int r = 0; r + 1 < field.rows; ++r)
    for (int c = 0; c + 1 < field.columns; ++c) {
      const int a = index(r, c), b = index(r, c + 1), d = index(r + 1, c + 1), e = index(r + 1, c);
      quad(a, b, d, e);
      quad(under + a, under + e, under + d, under + b);
    }
  const auto wall = [&](int a, int b) { quad(a, under + a, under + b, b); };
  for (int c = 0; c + 1 < field.columns; ++c) {
    wall(index(0, c), index(0, c + 1));
    wall(index(field.rows - 1, c + 1), index(field.rows - 1, c));
  }
  for (int r = 0; r + 1 < field.rows; ++r) {
    wall(index(r + 1, 0), index(r, 0));
    wall(index(r, field.columns - 1), index(r + 1, field.columns - 1));
  }
  return mesh;
}

}  // namespace

// The file of heights that is not there, or nothing.
std::string Reader::missing_heights(const Item& here) const {
  const auto found = assets_.height_fields.find(word(here, "hfield", ""));
  const std::string* file = found != assets_.height_fields.end() ? found->second->find("file") : nullptr;
  if (file == nullptr) return {};
  std::filesystem::path whole = folder_ / compiler(*found->second).mesh_folder / *file;
  std::error_code error;
  return std::filesystem::is_regular_file(whole, error) ? std::string() : whole.lexically_normal().string();
}

Mesh Reader::height_field(const Item& here) {
  const std::string name = word(here, "hfield", "");
  const auto found = assets_.height_fields.find(name);
  if (found == assets_.height_fields.end())
    fail(tree_, *here.node, fmt::format("there is no hfield '{}' among the assets", name));
  const XmlNode& node = *found->second;
  const Item asset{&node, nullptr};
  const std::vector<double> size = read_numbers(tree_, node, "size", word(asset, "size", ""), 4, 4);
  if (!(size[0] > 0 && size[1] > 0 && size[2] > 0 && size[3] > 0))
    fail(tree_, node, "size: four positive numbers are expected: radius x, radius y, height, base");
  Heights field;
  if (const std::string* file = asset.find("file")) {
    const std::filesystem::path whole = folder_ / compiler(node).mesh_folder / *file;
    try {
      const std::string bytes = read_text_file(whole);
      field = bytes.starts_with("\x89PNG") ? read_picture(bytes) : read_binary(bytes);
    } catch (const std::exception& error) {
      fail(tree_, node, fmt::format("'{}': {}", whole.string(), error.what()));
    }
  } else {
    field.rows = integer(asset, "nrow", 0);
    field.columns = integer(asset, "ncol", 0);
    if (field.rows < 2 || field.columns < 2 || at(field.rows) * at(field.columns) > kMostHeights)
      fail(tree_, node, fmt::format("nrow and ncol: from 2 on, and at most {} heights", kMostHeights));
    field.z.assign(at(field.rows) * at(field.columns), 0);
    if (const std::string* text = asset.find("elevation")) {
      const std::vector<double> z = read_numbers(tree_, node, "elevation", *text);
      if (z.size() != field.z.size())
        fail(tree_, node, fmt::format("elevation: {} numbers are expected, not {}", field.z.size(), z.size()));
      // Written as one looks at them: the first row is the one of the greatest y.
      for (int r = 0; r < field.rows; ++r)
        std::copy_n(z.begin() + r * field.columns, field.columns,
                    field.z.begin() + (field.rows - 1 - r) * field.columns);
    }
  }
  scale(field.z);
  return surface(field, size[0], size[1], size[2], size[3]);
}

}  // namespace catena::mjcf
