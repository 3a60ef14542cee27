// The motion and the other columns of a run as bytes. viewer/src/replay.ts reads them.
#include "catena/record/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "catena/model/error.h"
#include "catena/record/packing.h"
#include "catena/record/scene_json.h"

namespace catena {
namespace {

using nlohmann::json;

constexpr double kLengthQuantum = 1.0 / (1 << 18);  // of the extent of the motion
constexpr double kQuaternionQuantum = 1.0 / (1 << 14);
constexpr double kPoseBits = 8e6, kPoseBitsANumber = 7;  // budget of the motion
constexpr int kMostDoublings = 6;
constexpr double kCoarseLevels = 1023;
constexpr std::size_t kCoarseNumbers = 500'000;

using Frames = std::vector<std::vector<float>>;  // a row a frame

// Where each column goes.
struct Division {
  std::vector<std::size_t> positions, quaternions, exact, coarse;
};

bool is_exact(const std::string& name) {
  return name == "residual" || name.starts_with("energy.") || name.starts_with("drift.") ||
         name.starts_with("contacts.");
}

Division divide(const Model& model, const std::vector<std::string>& columns) {
  std::unordered_set<std::string> positions, quaternions;
  for (const Body& body : model.bodies) {
    for (const char* part : {".x", ".y", ".z"}) positions.insert(body.name + part);
    for (const char* part : {".qw", ".qx", ".qy", ".qz", ".scale", ".q[0]", ".q[1]", ".q[2]"})
      quaternions.insert(body.name + part);
  }
  Division out;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == "time") continue;
    auto& list = positions.contains(columns[c])   ? out.positions
               : quaternions.contains(columns[c]) ? out.quaternions
               : is_exact(columns[c])             ? out.exact
                                                  : out.coarse;
    list.push_back(c);
  }
  return out;
}

struct Range {
  double low = 0, high = 0;
};

// Of the finite numbers.
Range range_of(const Frames& frames, std::size_t column) {
  Range range{INFINITY, -INFINITY};
  for (const auto& row : frames) {
    const double x = row[column];
    if (!std::isfinite(x)) continue;
    range.low = std::min(range.low, x);
    range.high = std::max(range.high, x);
  }
  return range.low <= range.high ? range : Range{};
}

// The largest extent of the motion along an axis, or a metre where nothing moves.
double extent_of(const Frames& frames, const std::vector<std::size_t>& positions) {
  Range axis[3] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Range one = range_of(frames, positions[i]);
    axis[i % 3].low = std::min(axis[i % 3].low, one.low);
    axis[i % 3].high = std::max(axis[i % 3].high, one.high);
  }
  double extent = 0;
  for (const Range& range : axis) extent = std::max(extent, range.high - range.low);
  return extent > 0 && std::isfinite(extent) ? extent : 1;
}

// A column in whole quanta; a number that is not finite repeats the one before it.
std::vector<std::int64_t> in_quanta(const Frames& frames, std::size_t column, std::size_t stride, double low,
                                    double quantum) {
  std::vector<std::int64_t> whole;
  for (std::size_t f = 0; f < frames.size(); f += stride) {
    const double x = (frames[f][column] - low) / quantum;
    whole.push_back(std::isfinite(x) ? std::llround(x) : whole.empty() ? 0 : whole.back());
  }
  return whole;
}

struct Quanta {
  double length, quaternion;
};

// Bits of the motion, about.
double pose_bits(const Frames& frames, const Division& division, const Quanta& quanta) {
  double bits = 0;
  for (const std::size_t c : division.positions) bits += stream_bits(in_quanta(frames, c, 1, 0, quanta.length));
  for (const std::size_t c : division.quaternions) bits += stream_bits(in_quanta(frames, c, 1, 0, quanta.quaternion));
  return bits;
}

// Fine quanta where the motion is calm or short; a wild one is kept to a budget.
Quanta choose_quanta(const Frames& frames, const Division& division) {
  Quanta quanta{extent_of(frames, division.positions) * kLengthQuantum, kQuaternionQuantum};
  const auto numbers = static_cast<double>(frames.size() * (division.positions.size() + division.quaternions.size()));
  const double budget = std::max(kPoseBits, kPoseBitsANumber * numbers);
  for (int k = 0; k < kMostDoublings && pose_bits(frames, division, quanta) > budget; ++k) {
    quanta.length *= 2;
    quanta.quaternion *= 2;
  }
  return quanta;
}

double largest_force(const std::vector<std::vector<ContactForce>>& contacts) {
  double most = 0;
  for (const auto& list : contacts)
    for (const ContactForce& c : list) most = std::max(most, norm(c.force));
  return most > 0 && std::isfinite(most) ? most : 1;
}

void pack_contacts(const std::vector<std::vector<ContactForce>>& contacts, std::size_t frames, double point,
                   double force, Packer& out) {
  const auto whole = [&](const Vec3& v, double quantum) {
    for (const double x : {v.x, v.y, v.z}) out.varint(std::isfinite(x) ? std::llround(x / quantum) : 0);
  };
  for (std::size_t f = 0; f < frames; ++f) {
    static const std::vector<ContactForce> kNone;
    const auto& list = f < contacts.size() ? contacts[f] : kNone;
    out.varint(static_cast<std::int64_t>(list.size()));
    for (const ContactForce& c : list) {
      whole(c.contact.position, point);
      const Vec3& n = c.contact.normal;
      for (const double x : {n.x, n.y, n.z}) out.i8(static_cast<int>(std::lround(127 * x)));
      whole(c.force, force);
    }
  }
}

}  // namespace

std::string write_replay(const Model& model, const Settings& settings, const std::vector<std::string>& columns,
                         const std::vector<std::vector<float>>& rows, const std::vector<double>& times,
                         const std::vector<std::vector<ContactForce>>& contacts, const std::string& run) {
  const Division division = divide(model, columns);
  const Quanta quanta = choose_quanta(rows, division);
  const std::size_t coarse = division.coarse.size() * rows.size();
  const std::size_t stride = coarse / kCoarseNumbers + 1;
  const double force = largest_force(contacts) / kCoarseLevels;
  Packer body;
  StreamPacker motion, rest;
  for (const double time : times) body.f64(time);

  json poses = json::array(), exact = json::array(), rough = json::array();
  const auto pack_pose = [&](const std::vector<std::size_t>& list, double quantum) {
    for (const std::size_t c : list) {
      poses.push_back({{"name", columns[c]}, {"quantum", quantum}});
      motion.add(in_quanta(rows, c, 1, 0, quantum));
    }
  };
  pack_pose(division.positions, quanta.length);
  pack_pose(division.quaternions, quanta.quaternion);
  motion.write(body);
  for (const std::size_t c : division.exact) {
    exact.push_back(columns[c]);
    for (const auto& row : rows) body.f32(row[c]);
  }
  for (const std::size_t c : division.coarse) {
    const Range range = range_of(rows, c);
    const double quantum = range.high > range.low ? (range.high - range.low) / kCoarseLevels : 1;
    rough.push_back({{"name", columns[c]}, {"low", range.low}, {"quantum", quantum}});
    rest.add(in_quanta(rows, c, stride, range.low, quantum));
  }
  rest.write(body);
  const bool touching = std::any_of(contacts.begin(), contacts.end(), [](const auto& list) { return !list.empty(); });
  if (touching) pack_contacts(contacts, rows.size(), quanta.length, force, body);

  const json header{
      {"scene", scene_json(model, settings)},
      {"info", run.empty() ? json() : json::parse(run, nullptr, false)},
      {"frames", rows.size()},
      {"poses", std::move(poses)},
      {"exact", std::move(exact)},
      {"coarse", {{"stride", stride}, {"rows", (rows.size() + stride - 1) / stride}, {"columns", std::move(rough)}}},
      {"contacts", touching ? json{{"point", quanta.length}, {"force", force}} : json()}};
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  Packer all;
  all.u32(static_cast<std::uint32_t>(text.size()));
  all.bytes(text);
  all.bytes(body.data());
  return base64(deflated(all.data()));
}

}  // namespace catena
