#include "catena/scene/value.h"
#include "scene/scene_testing.h"

namespace catena {
namespace yaml_text_test {

TEST(YamlText, EveryValueKnowsItsPlace) {
  const Source source{"f.yaml", ".", true};
  const Value root = parse_yaml("a: 1\nb:\n  - x\n  - {c: [1, 2]}\n", source);
  EXPECT_EQ(to_string(root.keys[1].at), "f.yaml:2:1");
  EXPECT_EQ(to_string(root.items[0].at), "f.yaml:1:4");
  const Value& c = *root.find("b")->items[1].find("c");
  EXPECT_EQ(to_string(c.items[1].at), "f.yaml:4:13");
  EXPECT_EQ(c.items[1].text, "2");
  EXPECT_EQ(root.find("z"), nullptr);
}

TEST(YamlText, JsonIsYaml) {
  const Scene s = load_ok("{\n\t\"bodies\": {\n\t\t\"arm\": {\"mass\": \"3 g\", \"inertia\": [1, 1.0e0, 1E0]}}\n}\n");
  EXPECT_EQ(s.model.bodies[0].mass, 3e-3);
}

TEST(YamlText, AliasesAreCopies) {
  const Scene s = load_ok("bodies:\n  a: &one {mass: 1, inertia: 1}\n  b: *one\n");
  EXPECT_EQ(s.model.bodies[1].mass, 1);
  EXPECT_EQ(s.model.bodies[1].name, "b");
}

TEST(YamlText, AliasesThatUnfoldWithoutEndAreRefused) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int k = 1; k < 9; ++k) {
    const std::string last = "*a" + std::to_string(k - 1), name = "a" + std::to_string(k);
    text += name + ": &" + name + " [" + last + ", " + last + ", " + last + ", " + last + ", " + last + ", " + last +
            ", " + last + ", " + last + "]\n";
  }
  EXPECT_NE(error_of(text).find("anchors and aliases unfold to more than"), std::string::npos);
}

TEST(YamlText, SyntaxErrorsHaveAPlace) {
  EXPECT_EQ(error_of("bodies: [1,\n"), "s.yaml:2:1: this is not YAML: end of sequence flow not found");
  EXPECT_EQ(error_of("a: 1\nb: : 2\n").substr(0, 12), "s.yaml:2:4: ");
  EXPECT_EQ(error_of(""), "s.yaml:1:1: the file is empty; a scene has bodies: at least");
  EXPECT_EQ(error_of("- 1\n"), "s.yaml:1:1: a scene is a map with keys such as bodies: and joints:, not a list of 1");
  EXPECT_EQ(error_of(kArm + "---\na: 1\n"), "s.yaml:3:1: a second document begins here; a scene is one document");
}

TEST(YamlText, RepeatedKeysAreRefusedAnywhere) {
  EXPECT_EQ(error_of("bodies:\n  b: {mass: 1, inertia: 1}\n  c: {mass: 1, inertia: 1}\n  b: {mass: 2, inertia: 1}\n"),
            "s.yaml:4:3: key 'b' is given twice, first on line 2; remove one");
  EXPECT_EQ(error_of("bodies:\n  b: {mass: 1, mass: 2}\n"),
            "s.yaml:2:16: key 'mass' is given twice, first on line 2; remove one");
  EXPECT_EQ(error_of("? [1, 2]\n: 3\n"), "s.yaml:1:3: a key must be a plain word, not a list of 2");
}

TEST(YamlText, DeepNestingIsAnErrorNotACrash) { EXPECT_EQ(error_of(std::string(100000, '[')).substr(0, 7), "s.yaml:"); }

}  // namespace yaml_text_test
}  // namespace catena
