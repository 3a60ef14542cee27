#include "catena/record/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "catena/model/error.h"
#include "record/temporary_file.h"

namespace catena {
namespace recording_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::TemporaryFile;
using ::testing::ThrowsMessage;

TEST(Recording, RefusesAnotherExtensionAndNamesThePossibleOnes) {
  EXPECT_THAT(
      [] { open_recording("run.mat", {"time"}, ""); },
      ThrowsMessage<InputError>(AllOf(HasSubstr("run.mat"), HasSubstr(".csv"), HasSubstr(".h5"), HasSubstr(".mat"))));
  EXPECT_THAT([] { read_recording("run"); }, ThrowsMessage<InputError>(HasSubstr(".csv")));
}

TEST(Recording, SaysWhyAPathCannotBeWritten) {
  for (const char* file : {"/no/such/folder/run.csv", "/no/such/folder/run.h5"}) {
    EXPECT_THAT([&] { open_recording(file, {"time"}, ""); },
                ThrowsMessage<InputError>(AllOf(HasSubstr(file), HasSubstr("No such file or directory"))));
  }
}

TEST(Recording, SaysWhyAFileCannotBeRead) {
  for (const char* file : {"/no/such/run.csv", "/no/such/run.h5"})
    EXPECT_THAT([&] { read_recording(file); }, ThrowsMessage<InputError>(HasSubstr("No such file or directory")));
  const TemporaryFile file(".h5");
  std::ofstream(file.path()) << "time,x\n0,1\n";
  EXPECT_THAT([&] { read_recording(file.path()); }, ThrowsMessage<InputError>(HasSubstr("cannot be read as HDF5")));
}

TEST(Recording, WantsColumnsWithUniqueNames) {
  EXPECT_THAT([] { open_recording("run.csv", {"time", "x", "x"}, ""); }, ThrowsMessage<InputError>(HasSubstr("'x'")));
  EXPECT_THAT([] { open_recording("run.csv", {"time", ""}, ""); }, ThrowsMessage<InputError>(HasSubstr("empty")));
  EXPECT_THAT([] { open_recording("run.csv", {}, ""); }, ThrowsMessage<InputError>(HasSubstr("at least one column")));
}

TEST(Recording, OverwritesWhatWasThereBefore) {
  for (const char* extension : {".csv", ".h5", ".HDF5"}) {
    const TemporaryFile file(extension);
    for (const double value : {1.0, 2.0}) {
      const auto recording = open_recording(file.path(), {"time"}, "");
      recording->write(std::vector{value});
      recording->finish();
    }
    EXPECT_EQ(read_recording(file.path()).columns, (std::vector<std::vector<double>>{{2.0}}));
  }
}

TEST(Recording, FinishesByItselfAndOnlyOnce) {
  for (const char* extension : {".csv", ".h5"}) {
    const TemporaryFile file(extension);
    {
      const auto recording = open_recording(file.path(), {"time"}, "");
      recording->write(std::vector{1.0});
    }
    EXPECT_EQ(read_recording(file.path()).rows(), 1u);
    EXPECT_TRUE(read_recording(file.path()).finished);
    const auto recording = open_recording(file.path(), {"time"}, "");
    recording->finish();
    EXPECT_NO_THROW(recording->finish());
  }
}

// In a child whose files may not grow past 200 kB. It must hear of the refusal, and end in peace.
TEST(Recording, AFullDiskIsAnErrorAndLeavesAReadableFile) {
  for (const char* extension : {".csv", ".h5"}) {
    const TemporaryFile file(extension);
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{200000, 200000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      bool refused = false;
      {
        const auto recording = open_recording(file.path(), {"time", "x"}, "");
        try {
          for (double i = 0; i < 1e6; ++i) recording->write(std::vector{i, std::sin(i)});
        } catch (const std::runtime_error& error) {
          refused = std::string(error.what()).find("File too large") != std::string::npos;
        }
      }
      std::exit(refused ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << extension;
    const auto table = read_recording(file.path());
    for (std::size_t i = 0; i < table.rows(); ++i) ASSERT_EQ(table.columns[0][i], static_cast<double>(i));
  }
}

TEST(Recording, TakesOneNumberAColumn) {
  for (const char* extension : {".csv", ".h5"}) {
    const TemporaryFile file(extension);
    const auto recording = open_recording(file.path(), {"time", "x"}, "");
    EXPECT_THROW(recording->write(std::vector{1.0}), std::logic_error);
  }
}

TEST(RecordedTable, FindsColumnsByNameAndSaysWhichItLacks) {
  const RecordedTable table{{"time", "x"}, {{0, 1}, {2, 3}}, "", true};
  EXPECT_EQ(table.column("x"), (std::vector<double>{2, 3}));
  EXPECT_THAT([&] { table.column("y"); }, ThrowsMessage<InputError>(HasSubstr("'y'")));
}

}  // namespace recording_test
}  // namespace catena
