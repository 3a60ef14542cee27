#include "catena/model/displacements.h"

#include <algorithm>

#include "catena/math/four.h"
#include "catena/model/body_kinds.h"

namespace catena {
namespace {

CATENA_INLINE void displace_four(const BodyVector* d, BodyState* s) {
  for (int lane = 0; lane < Four::kCount; ++lane) s[lane].position += d[lane].linear;
  // The last number of each is no part of the turn.
  const Sixteen turn = gather(&d[0].angular.x, &d[1].angular.x, &d[2].angular.x, &d[3].angular.x);
  double *to_0 = &s[0].orientation.w, *to_1 = &s[1].orientation.w, *to_2 = &s[2].orientation.w,
         *to_3 = &s[3].orientation.w;
  const Sixteen q = gather(to_0, to_1, to_2, to_3);
  const QuatT<Four> moved =
      normalized(exp_rotation(Vec3T<Four>{turn.x, turn.y, turn.z}) * QuatT<Four>{q.x, q.y, q.z, q.w});
  scatter({moved.w, moved.x, moved.y, moved.z}, to_0, to_1, to_2, to_3);
}

}  // namespace

CATENA_DISPATCH void displace_all(const Model& model, std::span<const BodyVector> d, std::span<BodyState> bodies) {
  const Body* of = model.bodies.data();
  std::size_t i = 0;
  for (; i + Four::kCount <= bodies.size(); i += Four::kCount) {
    if (std::all_of(of + i, of + i + Four::kCount, [](const Body& body) { return body.kind == BodyKind::rigid; })) {
      displace_four(d.data() + i, bodies.data() + i);
      continue;
    }
    for (std::size_t k = i; k < i + Four::kCount; ++k) displace(of[k].kind, d[k], bodies[k]);
  }
  for (; i < bodies.size(); ++i) displace(of[i].kind, d[i], bodies[i]);
}

}  // namespace catena
