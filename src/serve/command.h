// What a page may ask of a live run, and the reading of it: text from outside, trusted in nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "catena/math/vec3.h"
#include "catena/simulation/simulation.h"

namespace catena {

struct PlayCommand {};
struct PauseCommand {};
struct StepCommand {};
struct ResetCommand {};
struct ReleaseCommand {};
struct SpeedCommand {
  double times_real_time = 1;  // 0: as fast as it goes
};
struct SeekCommand {
  double time = 0;
};
struct SettingsCommand {
  Options change;
};
struct GhostCommand {
  std::optional<bool> on;
  Options change;
};
struct DragCommand {
  int body = 0;
  Vec3 point{}, target{};  // body coordinates; world
};

// A slider was moved: an input of a control or actuator, or a number of the model (serve/sliders.h).
struct ControlCommand {
  std::size_t index = 0;
  double value = 0;
};
struct ParameterCommand {
  std::size_t index = 0;
  double value = 0;
};

using Command = std::variant<PlayCommand, PauseCommand, StepCommand, ResetCommand, ReleaseCommand, SpeedCommand,
                             SeekCommand, SettingsCommand, GhostCommand, DragCommand, ControlCommand, ParameterCommand>;

// Throws InputError that says what is wrong. `bodies`: how many there are to drag.
Command parse_command(std::string_view text, std::size_t bodies);

}  // namespace catena
