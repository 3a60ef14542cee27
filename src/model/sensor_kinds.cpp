#include "catena/model/sensor_kinds.h"

#include <unordered_map>

namespace catena {

using Of = SensorKind::Of;

const SensorKind* sensor_kind(std::string_view name) {
  static const std::unordered_map<std::string_view, SensorKind> kinds{
      {"accelerometer", {3, "m/s2", Of::frame}}, {"velocimeter", {3, "m/s", Of::frame}},
      {"gyro", {3, "rad/s", Of::frame}},         {"force", {3, "N", Of::frame}},
      {"torque", {3, "N m", Of::frame}},         {"touch", {1, "N", Of::frame}},
      {"framepos", {3, "m", Of::frame}},         {"framequat", {4, "1", Of::frame}},
      {"framexaxis", {3, "1", Of::frame}},       {"frameyaxis", {3, "1", Of::frame}},
      {"framezaxis", {3, "1", Of::frame}},       {"framelinvel", {3, "m/s", Of::frame}},
      {"frameangvel", {3, "rad/s", Of::frame}},  {"framelinacc", {3, "m/s2", Of::frame}},
      {"frameangacc", {3, "rad/s2", Of::frame}}, {"jointpos", {1, "", Of::joint}},
      {"jointvel", {1, "", Of::joint}},          {"jointactuatorfrc", {1, "", Of::joint}},
      {"ballquat", {4, "1", Of::ball}},          {"ballangvel", {3, "rad/s", Of::ball}},
      {"actuatorpos", {1, "", Of::control}},     {"actuatorvel", {1, "", Of::control}},
      {"actuatorfrc", {1, "", Of::control}},     {"tendonpos", {1, "", Of::tendon}},
      {"tendonvel", {1, "", Of::tendon}},        {"subtreecom", {3, "m", Of::body}},
      {"subtreelinvel", {3, "m/s", Of::body}},   {"clock", {1, "s", Of::run}},
      {"e_potential", {1, "J", Of::run}},        {"e_kinetic", {1, "J", Of::run}}};
  const auto found = kinds.find(name);
  return found == kinds.end() ? nullptr : &found->second;
}

}  // namespace catena
