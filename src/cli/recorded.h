// A recording and the scene it is of.
#pragma once

#include <string>
#include <vector>

#include "catena/catena.h"
#include "catena/record/recording.h"

namespace catena::cli {

bool is_recording(const std::string& file);  // by its name

struct RecordedRun {
  Scene scene;  // with the settings of the run, as far as they are known
  RecordedTable table;
};

// Reads a recording with at least one sample. Its scene is the one in the file `of`, if given; else the one it carries; else bodies by the names
// of its columns.
RecordedRun read_run(const std::string& file, const std::string& of, const std::vector<std::string>& sets);

}  // namespace catena::cli
