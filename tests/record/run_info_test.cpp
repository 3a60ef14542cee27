#include "catena/record/run_info.h"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <nlohmann/json.hpp>

#include "catena/model/error.h"
#include "catena/record/contact_table.h"
#include "catena/record/recording.h"
#include "catena/record/units.h"
#include "catena/scene/scene.h"
#include "catena/simulation/sample.h"
#include "record/temporary_file.h"

namespace catena {
namespace run_info_test {

using testing::TemporaryFile;

Scene scene() {
  return load_text(R"(
bodies:
  rod: {mass: 1, inertia: 1}
  bob: {kind: particle, mass: 1, position: [2, 0, 0]}
  blob: {kind: scalable, mass: 1, inertia: 1, position: [5, 0, 0]}
  energy.x: {mass: 1, inertia: 1, position: [0, 7, 0]}
joints:
  turn: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}
  slide: {kind: cylindrical, between: [ground, blob], anchor: [5, 0, 0], axis: [0, 0, 1]}
)");
}

TEST(Units, AreThoseOfTheQuantities) {
  const Scene s = scene();
  const std::vector<std::string> columns = column_names(s.model), units = column_units(s.model, columns);
  ASSERT_EQ(units.size(), columns.size());
  const auto unit = [&](const std::string& name) {
    const auto at = std::find(columns.begin(), columns.end(), name);
    return at == columns.end() ? "no column " + name : units[static_cast<std::size_t>(at - columns.begin())];
  };
  const std::vector<std::pair<const char*, const char*>> wanted{{"time", "s"},
                                                                {"rod.x", "m"},
                                                                {"rod.qw", "1"},
                                                                {"rod.vx", "m/s"},
                                                                {"rod.wz", "rad/s"},
                                                                {"bob.vy", "m/s"},
                                                                {"blob.scale", "1"},
                                                                {"blob.scale_velocity", "1/s"},
                                                                {"energy.x.x", "m"},
                                                                {"joint.turn.q[0]", "rad"},
                                                                {"joint.turn.v[0]", "rad/s"},
                                                                {"joint.slide.q[1]", "m"},
                                                                {"joint.slide.v[1]", "m/s"},
                                                                {"joint.turn.fx", "N"},
                                                                {"joint.turn.tz", "N m"},
                                                                {"energy.kinetic", "J"},
                                                                {"drift.position", "m"},
                                                                {"drift.angle", "rad"},
                                                                {"residual", "1"},
                                                                {"contacts.normal", "N"}};
  for (const auto& [name, is] : wanted) EXPECT_EQ(unit(name), is) << name;
  for (std::size_t i = 0; i < units.size(); ++i) EXPECT_NE(units[i], "") << columns[i];
  EXPECT_EQ(contact_units().size(), contact_columns().size());
  EXPECT_EQ(pair_units().size(), pair_columns().size());
}

TEST(RunInfo, EverySettingComesBack) {
  RunInfo info;
  Settings& s = info.settings;
  double x = 1.0 / 3;
  const auto next = [&] { return x *= 1.1; };
  s.method = MethodWords{.method = Method::operational,
                         .integrator = Integrator::midpoint,
                         .stabilise = Stabilisation::baumgarte,
                         .solver = LinearSolver::parts,
                         .tolerance = next(),
                         .position_tolerance = next(),
                         .velocity_tolerance = next(),
                         .coordinates = Coordinates::reduced,
                         .contacts = ContactMode::swept,
                         .law_solver = LawSolver::lemke,
                         .formulation = Formulation::non_minimal_os,
                         .sweeps = Sweeps{.most = 77,
                                          .algorithm = SweepAlgorithm::monitored,
                                          .order = SweepOrder::symmetric,
                                          .friction = SweepFriction::projection,
                                          .relaxation = next()},
                         .baumgarte = next()};
  s.tuning.velocity.motion_gain = next();
  s.tuning.impulse.most_rows = 17;
  for (double* number : {&s.step, &s.duration, &s.sample, &s.contact_margin, &s.contact_tolerance,
                         &s.restitution_threshold, &s.assembly_speed})
    *number = next();
  s.sleep = true;
  s.facets = 8, s.threads = 3, s.seed = ~std::uint64_t{0};
  info.overrides = {"bodies.rod.mass=2"};
  info.version = "1.2.3";
  info.date = "2026-11-17T00:00:00Z";
  const std::string text = to_json_text(info);
  const RunInfo back = run_info_of(text);
  EXPECT_EQ(to_json_text(back), text);  // each setting has a word of its own in the text …
  const auto settings = nlohmann::json::parse(text)["settings"],
             plain = nlohmann::json::parse(to_json_text({}))["settings"];
  for (const auto& [key, value] : settings.items()) EXPECT_NE(value, plain[key]) << key;  // … and none has its default
}

// A Settings of another size has a member that recordings do not keep yet: add it to run_info.cpp and to the test above.
static_assert(sizeof(Settings) == 240 + sizeof(Tuning), "a setting was added: keep it in recordings, too");

TEST(RunInfo, DamagedTextIsAnError) {
  for (const char* text :
       {"", "[]", "{", R"({"settings": {"step": "x"}})", R"({"settings": {"method": "magic"}})",
        R"({"settings": {"step": 1e999}})", R"({"settings": {"facets": -1}})", R"({"settings": {"facets": 0.5}})",
        R"({"settings": {"seed": -1}})", R"({"settings": {"tuning": {"parts.reach": -1}}})",
        R"({"settings": {"tuning": {"none": 1}}})", R"({"catena": 1})"})
    EXPECT_THROW(run_info_of(text), InputError) << text;
  EXPECT_EQ(run_info_of("{}").settings.step, Settings{}.step);
}

std::string text_attribute(hid_t object, const char* name) {
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return "none";
  const hid_t type = H5Aget_type(attribute);
  std::string text(H5Tget_size(type), '\0');
  H5Aread(attribute, type, text.data());
  H5Tclose(type), H5Aclose(attribute);
  return text;
}

TEST(Hdf5, SaysWhatWasRun) {
  const TemporaryFile file(".h5");
  const Scene s = scene();
  Settings settings;
  settings.method = Method::spook;
  settings.step = 2e-3;
  const std::vector<std::string> columns = column_names(s.model);
  open_recording(file.path(), columns, run_info(s.model, "catena: 1\n", {"a.b=c"}, settings, columns))->finish();

  const RecordedTable table = read_recording(file.path());
  EXPECT_EQ(table.names, columns);
  EXPECT_EQ(table.scene, "catena: 1\n");
  const RunInfo info = run_info_of(table.run);
  EXPECT_EQ(info.settings.step, 2e-3);
  EXPECT_EQ(info.settings.method, Method::spook);
  EXPECT_EQ(info.overrides, std::vector<std::string>{"a.b=c"});

  const hid_t handle = H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_EQ(text_attribute(handle, "method"), "spook");
  EXPECT_THAT(text_attribute(handle, "date"), ::testing::MatchesRegex("....-..-..T..:..:..Z"));
  const std::vector<std::pair<const char*, const char*>> units{
      {"time", "s"}, {"rod.vx", "m/s"}, {"joint.turn.q[0]", "rad"}, {"contacts/gap", "m"}, {"pairs/tx", "N m"}};
  for (const auto& [name, unit] : units) {
    const hid_t dataset = H5Dopen2(handle, name, H5P_DEFAULT);
    EXPECT_EQ(text_attribute(dataset, "unit"), unit) << name;
    H5Dclose(dataset);
  }
  for (const char* name : {"contacts/body_names", "pairs/body_names"}) {
    const hid_t dataset = H5Dopen2(handle, name, H5P_DEFAULT), type = H5Dget_type(dataset);
    ASSERT_EQ(H5Tget_size(type), 8u);  // of the longest name
    std::string all(4 * 8, ' ');
    H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
    EXPECT_STREQ(all.substr(0, 8).c_str(), "rod");
    EXPECT_EQ(all.substr(24, 8), "energy.x");
    H5Tclose(type), H5Dclose(dataset);
  }
  H5Fclose(handle);
}

TEST(Units, ByNamesAloneThereAreThoseThatNamesTell) {
  const std::vector<std::string> columns{
      "time",           "rod.x",       "rod.vx",   "a.b.wz",           "joint.pivot.fx", "joint.pivot.tz",
      "energy.kinetic", "drift.angle", "residual", "joint.pivot.q[0]", "sensor.s"};
  const std::vector<std::string> units{"s", "m", "m/s", "rad/s", "N", "N m", "J", "rad", "1", "", ""};
  EXPECT_EQ(column_units(columns), units);
}

}  // namespace run_info_test
}  // namespace catena
