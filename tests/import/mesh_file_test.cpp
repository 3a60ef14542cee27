#include "catena/import/mesh_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "catena/model/error.h"
#include "source_dir.h"

namespace catena {
namespace mesh_file_test {

using testing::ThrowsMessage;

constexpr const char* kTetrahedron =
    "# a corner of a cube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    "f 1 3 2\nf 1/5/2 2/6 4//3\nf -4 -1 -2\nf 2 3 4\n";

TEST(ObjFile, ReadsVerticesAndFaces) {
  const Mesh mesh = parse_obj(kTetrahedron, "t.obj");
  EXPECT_EQ(mesh.vertices.size(), 4u);
  ASSERT_EQ(mesh.triangles.size(), 4u);
  EXPECT_EQ(mesh.triangles[2], (std::array{0, 3, 2}));
  EXPECT_NEAR(mass_properties(mesh, 6).mass, 1, 1e-15);
}

// Faces of four along their shorter diagonal, others from their first corner; all keep their sense.
TEST(ObjFile, SplitsPolygonsIntoTriangles) {
  const auto area = [](const Mesh& mesh) {
    double sum = 0;
    for (const auto& [a, b, c] : mesh.triangles)
      sum += 0.5 * cross(mesh.vertices[static_cast<std::size_t>(b)] - mesh.vertices[static_cast<std::size_t>(a)],
                         mesh.vertices[static_cast<std::size_t>(c)] - mesh.vertices[static_cast<std::size_t>(a)])
                       .z;
    return sum;
  };
  const Mesh wide = parse_obj("v 0 0 0\r\nv 2 -1 0\r\nv 4 0 0\r\nv 2 1 0\r\nf 1 2 3 4\r\n", "q.obj");
  ASSERT_EQ(wide.triangles.size(), 2u);
  for (const auto& corners : wide.triangles) {
    EXPECT_THAT(corners, ::testing::Contains(1));
    EXPECT_THAT(corners, ::testing::Contains(3));
  }
  EXPECT_DOUBLE_EQ(area(wide), 4);
  const Mesh five = parse_obj("v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5\n", "p.obj");
  ASSERT_EQ(five.triangles.size(), 3u);
  EXPECT_DOUBLE_EQ(area(five), 3);
}

TEST(ObjFile, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT([] { parse_obj("v 0 0 0\nv 1 x 0\n", "m.obj"); },
              ThrowsMessage<InputError>("m.obj:2: 'x' is not a number"));
  EXPECT_THAT([] { parse_obj("v 0 0 0\n\nf 1 2 3\n", "m.obj"); },
              ThrowsMessage<InputError>("m.obj:3: face corner '2' is not one of the 1 vertices so far"));
  EXPECT_THAT([] { parse_obj("v 0 0 0\nf 1 1\n", "m.obj"); },
              ThrowsMessage<InputError>("m.obj:2: a face has 2 corners; three or more are expected"));
  EXPECT_THAT([] { parse_obj("", "m.obj"); },
              ThrowsMessage<InputError>("m.obj: has no faces; lines 'f 1 2 3' are expected"));
}

TEST(StlFile, ReadsTextAndJoinsEqualVertices) {
  std::string text = "solid t\n";
  const Mesh tetrahedron = parse_obj(kTetrahedron, "t.obj");
  for (const auto& t : tetrahedron.triangles) {
    text += " facet normal 0 0 0\n  outer loop\n";
    for (const int v : t) {
      const Vec3& p = tetrahedron.vertices[v];
      text += "   vertex " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
    }
    text += "  endloop\n endfacet\n";
  }
  const Mesh mesh = parse_stl(text + "endsolid t\n", "t.stl");
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_NEAR(mass_properties(mesh, 6).mass, 1, 1e-15);
}

TEST(StlFile, ReadsBinaryEvenWhenItBeginsWithSolid) {
  const Mesh tetrahedron = parse_obj(kTetrahedron, "t.obj");
  std::string bytes(80, ' ');
  bytes.replace(0, 5, "solid");
  const auto put = [&](auto x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); };
  put(std::uint32_t{4});
  for (const auto& t : tetrahedron.triangles) {
    for (int k = 0; k < 3; ++k) put(0.0f);
    for (const int v : t) {
      for (int k = 0; k < 3; ++k) put(static_cast<float>(tetrahedron.vertices[v][k]));
    }
    put(std::uint16_t{0});
  }
  const Mesh mesh = parse_stl(bytes, "t.stl");
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_NEAR(mass_properties(mesh, 6).mass, 1, 1e-15);
}

TEST(StlFile, RefusesWhatIsNeither) {
  EXPECT_THROW(parse_stl("hello", "t.stl"), InputError);
  EXPECT_THROW(parse_stl("solid empty\nendsolid\n", "t.stl"), InputError);
  EXPECT_THAT([] { parse_stl("solid\nvertex 0 0 0\nendfacet\n", "t.stl"); },
              ThrowsMessage<InputError>("t.stl:3: a facet has 1 vertices; three are expected"));
}

TEST(MeshFile, EndingsAndMissingFilesAreNamed) {
  EXPECT_THROW(load_mesh("no_such_file.obj"), InputError);
  EXPECT_THROW(load_mesh(source_dir() + "/CMakeLists.txt"), InputError);
}

}  // namespace mesh_file_test
}  // namespace catena
