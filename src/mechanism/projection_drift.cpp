// projection.h: how far joints are open.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "catena/math/dispatch.h"
#include "catena/math/lanes.h"
#include "catena/mechanism/projection.h"

namespace catena {

namespace {

struct Largest {
  double length, angle;
  bool finite;
};

// Of |b|, lengths and angles apart.
CATENA_DISPATCH Largest largest_of(std::span<const double> b, const double* is_angle) {
  constexpr std::size_t kLane = 4;
  Quad lengths{}, angles{}, sum{};
  std::size_t i = 0;
  for (; i + kLane <= b.size(); i += kLane) {
    Quad x, turns;
    std::memcpy(&x, b.data() + i, sizeof x);
    std::memcpy(&turns, is_angle + i, sizeof turns);
    x = x < 0 ? -x : x;
    const Quad angle = turns * x, length = x - angle;
    lengths = length > lengths ? length : lengths;
    angles = angle > angles ? angle : angles;
    sum += angle - length;
  }
  Largest out{0, 0, true};
  double total = 0;
  for (std::size_t k = 0; k < kLane; ++k) {
    out.length = std::max(out.length, lengths[k]);
    out.angle = std::max(out.angle, angles[k]);
    total += sum[k];
  }
  for (; i < b.size(); ++i) {
    double& most = is_angle[i] != 0 ? out.angle : out.length;
    most = std::max(most, std::abs(b[i]));
    total += b[i];
  }
  out.finite = std::isfinite(total);
  return out;
}

// Where the first of |b| that is this large is, or a little before it.
CATENA_DISPATCH std::size_t first_of_size(std::span<const double> b, double size) {
  std::size_t i = 0;
  for (; i + 4 <= b.size(); i += 4) {
    Quad x;
    std::memcpy(&x, b.data() + i, sizeof x);
    if (any(LanesMask<1>{{(x == size) | (x == -size)}})) break;
  }
  return i;
}

}  // namespace

Drift Projection::read(std::span<const double> b) const {
  const Largest most = largest_of(b, is_angle_.data());
  Drift drift;
  drift.position = most.length;
  drift.angle = most.angle;
  const double length = most.length / size_;
  const bool turned = !(most.angle <= length);
  drift.scaled = most.finite ? (turned ? most.angle : length) : std::numeric_limits<double>::quiet_NaN();
  if (drift.scaled == 0) return drift;
  const double worst = turned ? most.angle : most.length;
  for (std::size_t i = most.finite ? first_of_size(b, worst) : 0; i < b.size(); ++i)
    if (most.finite ? std::abs(b[i]) == worst && (is_angle_[i] != 0) == turned : !std::isfinite(b[i])) {
      drift.worst = joint_of_[i];
      break;
    }
  return drift;
}

}  // namespace catena
