// A run set aside: the whole State, and what drives it, in a file, from which it goes on with the same bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "catena/model/settings.h"
#include "catena/model/state.h"
#include "catena/simulation/drive.h"

namespace catena {

struct Checkpoint {
  std::uint64_t model = 0;  // a hash of the model (model/fingerprint.h): the state is of no use under another
  Settings settings{};      // as run
  State state{};
  Drive drive{};  // what the user drove the simulation with; empty: nothing
};

// The bytes of a file, as parse_checkpoint() takes them.
std::string to_bytes(const Checkpoint& checkpoint);

// Writes beside the file and then puts it in its place: a process killed at any moment leaves the old checkpoint or the new one.
// Throws std::runtime_error with the system's reason when the disk refuses.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

// Throws InputError when the file is not there, is no checkpoint, is damaged, or was written by a program whose State is another.
Checkpoint read_checkpoint(const std::filesystem::path& file);

// The same from the bytes of a file; `name` stands for it in messages.
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name);

// The first setting that decides about the motion and is not the same in both, as "step 0.001 and 0.002"; empty when there is none.
// Duration, sampling and threads change nothing of it.
std::string difference(const Settings& a, const Settings& b);

}  // namespace catena
