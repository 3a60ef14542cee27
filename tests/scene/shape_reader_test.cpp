#include <filesystem>
#include <fstream>

#include "scene/scene_testing.h"

namespace catena {
namespace shape_reader_test {

std::string with_shapes(const std::string& shapes) {
  return "bodies: {b: {mass: 1, inertia: 1, shapes: " + shapes + "}}\n";
}

std::string error_of_shape(const std::string& shape) {
  return error_of("bodies:\n  b:\n    mass: 1\n    inertia: 1\n    shapes:\n    - " + shape + "\n");
}

TEST(ShapeReader, ReadsEveryGeometry) {
  const Scene s =
      load_ok(with_shapes(R"([{sphere: 0.1}, {sphere: {radius: 20 mm}}, {point: [1, 2, 3]}, {box: [1, 2, 3]},
    {capsule: {radius: 0.05, length: 0.3}}, {cylinder: {radius: 0.1, length: 2}}, {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}])"));
  const auto& shapes = s.model.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 7u);
  EXPECT_EQ(std::get<Sphere>(shapes[0].geometry).radius, 0.1);
  EXPECT_EQ(std::get<Sphere>(shapes[1].geometry).radius, 0.02);
  EXPECT_TRUE(std::holds_alternative<Point>(shapes[2].geometry));
  EXPECT_EQ(shapes[2].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(std::get<Box>(shapes[3].geometry).sides, (Vec3{1, 2, 3}));
  EXPECT_EQ(std::get<Capsule>(shapes[4].geometry).length, 0.3);
  EXPECT_EQ(std::get<Cylinder>(shapes[5].geometry).radius, 0.1);
  EXPECT_EQ(std::get<Hull>(shapes[6].geometry).points.size(), 4u);
}

TEST(ShapeReader, ReadsPlaceMaterialAndCollide) {
  const Scene s = load_ok(
      "materials: {rubber: {friction: 0.8, restitution: 0.1}, ice: {friction: 0.02}}\ndefaults: {friction: 0.4, "
      "restitution: 0.3}\n" +
      with_shapes("[{sphere: 1, at: [0, 0, 5 cm], orientation: {rpy: [0, 0, 180 deg]}, material: ice, collide: no}, "
                  "{sphere: 1}]"));
  const Shape& shape = s.model.bodies[0].shapes[0];
  EXPECT_EQ(shape.position, (Vec3{0, 0, 0.05}));
  EXPECT_NEAR(shape.orientation.z, 1, 1e-15);
  EXPECT_FALSE(shape.collide);
  EXPECT_EQ(s.model.materials[shape.material].name, "ice");
  EXPECT_EQ(s.model.materials[shape.material].restitution, 0.3);  // from the defaults
  EXPECT_EQ(s.model.bodies[0].shapes[1].material, 0);
  EXPECT_EQ(s.model.materials[0].friction, 0.4);
  EXPECT_EQ(s.model.materials[1].friction, 0.8);
}

TEST(ShapeReader, ReadsColorsByNameNumberAndBody) {
  const Scene s = load_ok(R"(bodies: {b: {mass: 1, inertia: 1, color: [0, 0.5, 1], shapes: [{sphere: 1, color: gold},
    {sphere: 1, color: "#ff8000"}, {sphere: 1, color: [1, 0, 0, 0.25]}, {sphere: 1}]}, c: {mass: 1, shapes: [{sphere: 1}]}})");
  const auto& shapes = s.model.bodies[0].shapes;
  using Color = std::array<float, 4>;
  EXPECT_EQ(*shapes[0].color, (Color{1, 215 / 255.0F, 0, 1}));
  EXPECT_EQ(*shapes[1].color, (Color{1, 128 / 255.0F, 0, 1}));
  EXPECT_EQ(*shapes[2].color, (Color{1, 0, 0, 0.25F}));
  EXPECT_EQ(*shapes[3].color, (Color{0, 0.5F, 1, 1}));
  EXPECT_FALSE(s.model.bodies[1].shapes[0].color);
  EXPECT_NE(error_of_shape("{sphere: 1, color: blu}").find("did you mean 'blue'?"), std::string::npos);
  EXPECT_NE(error_of_shape("{sphere: 1, color: [1, 2, 3]}").find("between 0 and 1"), std::string::npos);
  EXPECT_NE(error_of_shape("{sphere: 1, color: '#12345'}").find("is not known"), std::string::npos);
}

TEST(ShapeReader, PlanesBelongToTheGroundAndHaveUnitNormals) {
  const Scene s = load_ok(kArm + "ground: {shapes: [{plane: {normal: [0, 0, 2], offset: 3}}, {plane: {}}]}\n");
  const Plane& plane = std::get<Plane>(s.model.ground_shapes[0].geometry);
  EXPECT_EQ(plane.normal, (Vec3{0, 0, 1}));
  EXPECT_EQ(plane.offset, 1.5);
  EXPECT_EQ(std::get<Plane>(s.model.ground_shapes[1].geometry).normal, (Vec3{0, 0, 1}));
}

TEST(ShapeReader, MeshesAreFoundBesideTheirFile) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "catena_mesh";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "t.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::ofstream(folder / "s.yaml") << "bodies: {b: {density: 6, shapes: [{mesh: {file: t.obj, scale: 2}}]}, c: "
                                      "{density: 6, shapes: [{mesh: t.obj}]}}\n";
  const Scene s = load(folder / "s.yaml");
  EXPECT_NEAR(s.model.bodies[0].mass, 8, 1e-12);
  EXPECT_NEAR(s.model.bodies[1].mass, 1, 1e-12);
  EXPECT_EQ(std::get<Mesh>(s.model.bodies[1].shapes[0].geometry).file, "t.obj");
  expect_near(s.initial.bodies[1].position, {0.25, 0.25, 0.25});
}

TEST(ShapeReader, ErrorsNameThePlaceAndTheCure) {
  const struct {
    const char* shape;
    const char* message;
  } cases[] = {
      {"{spere: 1}", "s.yaml:6:8: shape: unknown key 'spere'; the nearest is 'sphere'"},
      {"{at: [0, 0, 0]}",
       "s.yaml:6:7: shape: needs one of sphere, point, box, capsule, cylinder, plane, hull, mesh, ellipsoid"},
      {"{sphere: 1, box: [1, 1, 1]}", "s.yaml:6:19: shape: is a sphere already; write another shape for the box"},
      {"{sphere: 0}", "s.yaml:6:16: a sphere's radius 0 must be positive"},
      {"{box: [1, 1]}", "s.yaml:6:13: box: a list of 3 is expected, not a list of 2"},
      {"{capsule: {radius: 1}}", "s.yaml:6:17: capsule needs 'length', such as length: 0.3"},
      {"{capsule: {radius: 1, lenght: 1}}", "s.yaml:6:29: capsule: unknown key 'lenght'; the nearest is 'length'"},
      {"{hull: [[0, 0, 0]]}", "s.yaml:6:14: a hull of 1 points has no inside; give four or more"},
      {"{mesh: no.obj}", "s.yaml:6:14: mesh: cannot read 'no.obj'; the path is relative to the scene file"},
      {"{sphere: 1, material: gum}", "s.yaml:6:29: unknown material 'gum'; known are default"},
      {"{sphere: 1, collide: maybe}", "s.yaml:6:28: collide: yes or no is expected, not 'maybe'"},
      {"{point: [0, 0, 0], at: [1, 0, 0]}", "s.yaml:6:26: shape: a point is placed by point: [x, y, z]"},
      {"{plane: {normal: [0, 0, 0]}}",
       "s.yaml:6:24: normal: (0, 0, 0) has no direction; give a vector that is not zero"},
      {"{plane: {}}", "s.yaml:2:3: body 'b': a plane can only belong to the ground; use a box"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of_shape(c.shape), c.message);
}

TEST(ShapeReader, MaterialsAreChecked) {
  EXPECT_EQ(error_of("materials:\n  a: {friction: -1}\n" + kArm), "s.yaml:2:17: friction: -1 must not be negative");
  EXPECT_EQ(error_of("defaults: {restitution: 2}\n" + kArm), "s.yaml:1:25: restitution: 2 must lie between 0 and 1");
  EXPECT_EQ(error_of("materials:\n  default: {friction: 1}\n" + kArm),
            "s.yaml:2:3: material 'default' is already there; give every material its own name ('default' is that of "
            "defaults:)");
}

}  // namespace shape_reader_test
}  // namespace catena
