// Replays: what goes in comes out of the page's own format, and stays small.
#include "catena/record/replay.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "catena/model/error.h"
#include "catena/record/packing.h"
#include "catena/record/page.h"

namespace catena {
namespace replay_test {

struct Recorded {
  Model model;
  std::vector<std::string> columns{"time"};
  std::vector<std::vector<float>> rows;
  std::vector<double> times;
};

// Bodies that tumble and swing at random rates: amplitudes of a metre, a few turns a second.
Recorded tumbling(int bodies, int frames) {
  Recorded run;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> between(-1, 1);
  std::vector<std::array<double, 12>> rates(static_cast<std::size_t>(bodies));
  for (int b = 0; b < bodies; ++b) {
    Body body;
    body.name = "b" + std::to_string(b);
    body.mass = 1;
    run.model.bodies.push_back(body);
    for (const char* part : {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"})
      run.columns.push_back(body.name + part);
    for (double& rate : rates[static_cast<std::size_t>(b)]) rate = between(random);
  }
  run.columns.push_back("energy.kinetic");
  for (int f = 0; f < frames; ++f) {
    const double t = f / 60.0;
    std::vector<float> row{static_cast<float>(t)};
    const auto add = [&](double x) { row.push_back(static_cast<float>(x)); };
    for (const auto& r : rates) {
      for (int k = 0; k < 3; ++k)
        add(std::sin(10 * r[static_cast<std::size_t>(k)] * t + r[static_cast<std::size_t>(k + 3)]));
      const Quat q = exp_rotation(Vec3{15 * r[6] * t, 6 * std::sin(3 * r[7] * t), 15 * r[8] * t});
      for (const double x : {q.w, q.x, q.y, q.z}) add(x);
      for (int k = 0; k < 6; ++k) add(10 * std::cos(9 * r[static_cast<std::size_t>(k + 6)] * t));
    }
    add(100 + std::sin(t));
    run.rows.push_back(std::move(row));
    run.times.push_back(t);
  }
  return run;
}

TEST(Replay, AMinuteOfAHundredTumblingBodiesStaysUnderFiveMegabytes) {
  const Recorded run = tumbling(100, 3600);
  const std::string page = page_html("run", write_replay(run.model, {}, run.columns, run.rows, run.times));
  EXPECT_LT(page.size(), 5'000'000U);
  RecordProperty("bytes", static_cast<int>(page.size()));
}

TEST(Replay, ThePageNeedsNoOtherFile) {
  const std::string page = page_html("a <b> & c", "AAAA");
  EXPECT_NE(page.find("<title>a &lt;b> &amp; c</title>"), std::string::npos);
  EXPECT_EQ(page.find("src=\""), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  const std::size_t script = page.rfind("<script>");
  EXPECT_EQ(page.find("</script", script), page.rfind("</script"));  // the bundle does not end its own element
}

TEST(Replay, ContactsAreCarried) {
  const Recorded run = tumbling(2, 3);
  ContactForce touch;
  touch.contact.position = {1, 2, 3};
  touch.contact.normal = {0, 0, 1};
  touch.force = {0, 0, 5};
  touch.normal = 5;
  const std::vector<std::vector<ContactForce>> contacts{{}, {touch}, {}};
  const auto size = [&](const auto& list) {
    return write_replay(run.model, {}, run.columns, run.rows, run.times, list).size();
  };
  EXPECT_GT(size(contacts), size(std::vector<std::vector<ContactForce>>{}));
}

TEST(Replay, AFileThatCannotBeWrittenIsRefusedAtOnce) {
  EXPECT_THROW(open_replay("/nowhere/run.html", {}, {}, {"time"}), InputError);
}

TEST(Packing, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  for (const std::string text : {"", "f", "fo", "foo", "foobar", "\xff\xfe\x01"})
    EXPECT_EQ(from_base64(base64(text)), text);
  EXPECT_THROW(from_base64("Zm9*"), std::invalid_argument);
}

TEST(Packing, SmoothMotionTakesAFewBitsANumber) {
  std::vector<std::int64_t> parabola, noise;
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    parabola.push_back(17LL * i * i - 400 * i + 3);
    noise.push_back(static_cast<std::int64_t>(random()) % 100000);
  }
  EXPECT_LT(stream_bits(parabola) / 1000, 2);
  EXPECT_GT(stream_bits(noise) / 1000, 12);
}

TEST(Packing, DeflatedBytesComeBack) {
  const std::string text(100000, 'c');
  const std::string packed = deflated(text);
  EXPECT_LT(packed.size(), 1000U);
  std::string back(text.size(), '\0');
  uLongf size = back.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(back.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  EXPECT_EQ(back, text);
}

}  // namespace replay_test
}  // namespace catena
