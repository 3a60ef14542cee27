#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "catena/model/error.h"
#include "catena/record/recording.h"
#include "record/killed_child.h"
#include "record/temporary_file.h"

namespace catena {
namespace csv_test {

using ::testing::HasSubstr;
using testing::run_and_kill;
using testing::TemporaryFile;
using ::testing::ThrowsMessage;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Csv, WritesNamesThenSeventeenDigits) {
  const TemporaryFile file(".csv");
  const auto recording = open_recording(file.path(), {"time", "joint.a.q[0]", "a,\"b\".x"}, "");
  recording->write(std::vector{0.1, 1.0, -1e300});
  recording->finish();
  EXPECT_EQ(text_of(file.path()),
            "time,joint.a.q[0],\"a,\"\"b\"\".x\"\n0.10000000000000001,1,-1.0000000000000001e+300\n");
}

TEST(Csv, ReadsBackTheSameBits) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values{
      0.0, -0.0, 1.0 / 3, M_PI * 1e-200, Limits::denorm_min(), Limits::max(), Limits::infinity()};
  const std::vector<std::string> names{"time", "a,\"b\".x"};
  const TemporaryFile file(".csv");
  const auto recording = open_recording(file.path(), names, "");
  for (const double value : values) recording->write(std::vector{value, -value});
  recording->write(std::vector{Limits::quiet_NaN(), 0.0});
  recording->finish();
  const RecordedTable table = read_recording(file.path());
  EXPECT_EQ(table.names, names);
  ASSERT_EQ(table.rows(), values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(table.columns[0][i], values[i]);
    EXPECT_EQ(std::signbit(table.columns[0][i]), std::signbit(values[i]));
    EXPECT_EQ(table.columns[1][i], -values[i]);
  }
  EXPECT_TRUE(std::isnan(table.columns[0].back()));
}

TEST(Csv, LeavesOutALineThatWasNotCompleted) {
  const TemporaryFile file(".csv");
  std::ofstream(file.path()) << "time,x\r\n0,1\r\n1,2";
  const RecordedTable table = read_recording(file.path());
  EXPECT_EQ(table.names, (std::vector<std::string>{"time", "x"}));
  EXPECT_EQ(table.columns, (std::vector<std::vector<double>>{{0}, {1}}));
}

TEST(Csv, SaysWhereALineIsWrong) {
  const TemporaryFile file(".csv");
  for (const auto& [text, place] : {std::pair{"time,x\n0,1\n0,one\n", ":3:3:"},
                                    {"time,x\n0\n", ":2:1:"},
                                    {"time,x\n0,1,2\n", ":2:3:"},
                                    {"", ":1:1:"}}) {
    std::ofstream(file.path()) << text;
    EXPECT_THAT([&] { read_recording(file.path()); },
                ThrowsMessage<InputError>(HasSubstr(file.path().string() + place)));
  }
}

TEST(Csv, KilledRunKeepsAllButTheLastMoments) {
  const TemporaryFile file(".csv");
  run_and_kill(
      [&] {
        const auto recording = open_recording(file.path(), {"time", "x"}, "");
        for (double i = 0;; ++i) {
          recording->write(std::vector{i, 2 * i});
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
      },
      std::chrono::milliseconds(1600));
  const RecordedTable table = read_recording(file.path());
  EXPECT_GT(table.rows(), 20u);
  for (std::size_t i = 0; i < table.rows(); ++i) EXPECT_EQ(table.columns[1][i], 2.0 * static_cast<double>(i));
}

}  // namespace csv_test
}  // namespace catena
