#include "catena/scene/resolved_text.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "scene/scene_testing.h"

namespace catena {
namespace resolved_text_test {

namespace fs = std::filesystem;

void expect_same(const Value& a, const Value& b) {
  ASSERT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.text, b.text);
  ASSERT_EQ(a.keys.size(), b.keys.size());
  ASSERT_EQ(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < a.keys.size(); ++i) EXPECT_EQ(a.keys[i].text, b.keys[i].text);
  for (std::size_t i = 0; i < a.items.size(); ++i) expect_same(a.items[i], b.items[i]);
}

// Words that mean something in YAML, or break it, where they are not quoted.
TEST(ResolvedText, ReadsBackToTheSameValues) {
  const Source source{"s.yaml", "."};
  const std::string text = R"(
a: [1, -2.5e-3, 90 deg, 3 kg/m3, ~, 'null', null, '', '~', 'yes', '- x', '-', '--- a', '# no', 'a: b', 'a #b', '*x', '&x', '!x', '%x']
"b c": {'{i}': 'x{i+1}', "q\"uote": "back\\slash", "tab\t": "line\nbreak", größe: '€ 𝄞'}
'- key': {}
empty: []
deep: [[[{a: [b, {c: d}]}]], ',', '[', ']', '{', '}', ' lead', 'trail ', '?', ':', '? q', ': q', '@', '`', "\x01\x7f"]
plain: word
nothing:
)";
  const Value once = parse_yaml(text, source);
  const std::string written = resolved_text(once, ".");
  expect_same(once, parse_yaml(written, source));
  EXPECT_EQ(resolved_text(parse_yaml(written, source), "."), written);
}

TEST(ResolvedText, ASceneKeepsItsOwnTextWhereNothingWasPutIn) {
  EXPECT_EQ(load_ok("# a comment\n" + kArm).source, "# a comment\n" + kArm);
}

TEST(ResolvedText, OverridesAndIncludesAreInIt) {
  const Scene changed = load_ok(kArm, {"bodies.arm.mass=3", "simulate.step=2 ms", "gravity=[0, 0, -1]"});
  const Scene again = load_ok(changed.source);
  EXPECT_EQ(again.model.bodies[0].mass, 3);
  EXPECT_EQ(again.settings.step, 2e-3);
  EXPECT_EQ(again.model.gravity, (Vec3{0, 0, -1}));

  const fs::path folder = fs::path(::testing::TempDir()) / "catena_resolved";
  fs::create_directories(folder / "parts");
  std::ofstream(folder / "parts" / "m.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
  std::ofstream(folder / "parts" / "arm.yaml") << "bodies: {arm: {mass: 1, inertia: 1, shapes: [{mesh: {file: "
                                                  "m.obj}}]}}\nchain: {count: 2, link: {mass: 1, inertia: 1}, "
                                                  "joint: {kind: ball}, offset: [0, 0, 1]}\n";
  std::ofstream(folder / "main.yaml") << "include: parts/arm.yaml\nsimulate: {duration: 7}\n";
  const Scene scene = load(folder / "main.yaml");
  const Scene from_text = load_text(scene.source, "recording.h5", folder);
  EXPECT_EQ(from_text.model.bodies.size(), 3u);
  EXPECT_EQ(from_text.settings.duration, 7);
  EXPECT_EQ(std::get<Mesh>(from_text.model.bodies[0].shapes[0].geometry).triangles.size(), 4u);
  fs::remove_all(folder);
}

}  // namespace resolved_text_test
}  // namespace catena
