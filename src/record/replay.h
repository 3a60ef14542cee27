// A run as one page: the scene, the motion in whole numbers of a quantum, everything else that was recorded, and the program that
// shows it, in one HTML file that opens from disk.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "catena/model/model.h"
#include "catena/model/settings.h"
#include "catena/record/recording.h"

namespace catena {

// Positions are kept to 2⁻¹⁸ of the extent of the motion and quaternions to 2⁻¹⁴, each coarser by up to 2⁶ where a long wild motion
// would make a large file; energies, drift and residuals to seven digits. Other columns (velocities, joint coordinates, reactions)
// have ten bits of their own range, at every frame while there are fewer than half a million such numbers and at every second, third, …
// frame beyond that. 60 s of 100 bodies at 60 Hz stay under 5 MB. `run` is the JSON of what was run (run_info.h), if known.
std::string write_replay(const Model& model, const Settings& settings, const std::vector<std::string>& columns,
                         const std::vector<std::vector<float>>& rows, const std::vector<double>& times,
                         const std::vector<std::vector<ContactForce>>& contacts = {}, const std::string& run = {});

// A recording that becomes such a page when it is finished; until then there is no file. Throws InputError when the path cannot be
// written.
// `info` is kept in its header.
std::unique_ptr<Recording> open_replay(const std::filesystem::path& file, const Model& model, const Settings& settings,
                                       const std::vector<std::string>& columns, const RunInfo& info = {});

// The page of a recording that was read back. `columns` other than those of the model's bodies are shown as plots.
std::string replay_page(const Model& model, const Settings& settings, const RecordedTable& table);

}  // namespace catena
