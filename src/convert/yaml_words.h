// Values as scene files write them.
#pragma once

#include "catena/convert/writing.h"

namespace catena {

inline std::string list(const Vec3& v) { return fmt::format("[{}, {}, {}]", number(v.x), number(v.y), number(v.z)); }
inline std::string list(const Quat& q) {
  return fmt::format("[{}, {}, {}, {}]", number(q.w), number(q.x), number(q.y), number(q.z));
}

// In double quotes, as JSON has it.
inline std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 32) out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else out += c;
  }
  return out + "\"";
}

inline std::string signal_text(const Signal& signal) {
  if (const auto* c = std::get_if<Constant>(&signal)) return fmt::format("{{constant: {}}}", number(c->value));
  if (const auto* s = std::get_if<Sine>(&signal))
    return fmt::format("{{sine: {{amplitude: {}, frequency: {}, phase: {}, offset: {}}}}}", number(s->amplitude),
                       number(s->frequency), number(s->phase), number(s->offset));
  const auto& table = std::get<Table>(signal);
  std::string out = "{table: [";
  for (std::size_t i = 0; i < table.times.size(); ++i)
    out += fmt::format("{}[{}, {}]", i == 0 ? "" : ", ", number(table.times[i]), number(table.values[i]));
  return out + "]}";
}

// What is not as it would be anyway, as `key: value, …`.
std::string settings_text(const Settings& settings);
// `moves:` of a joint; then `attached:`, `attach:` and `detach:`, each after a comma.
std::string motion_text(const FrameMotion& moves);
std::string switching_text(const Switching& switching);

// One of the surfaces of a joint, its frame in the world.
std::string surface_text(const JointSurface& surface, const Vec3& at, const Quat& orientation);

inline std::string limits_text(const Limits& limits) {
  std::string out;
  const auto add = [&](const char* key, double x) {
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", key, number(x));
  };
  if (limits.lower > -1e299) add("lower", limits.lower);
  if (limits.upper < 1e299) add("upper", limits.upper);
  if (limits.cone < 1e299) add("cone", limits.cone);
  if (limits.restitution != 0) add("restitution", limits.restitution);
  return "{" + out + "}";
}

}  // namespace catena
