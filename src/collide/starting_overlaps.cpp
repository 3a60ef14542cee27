#include "catena/collide/starting_overlaps.h"

#include <map>

#include "catena/collide/collide_filter.h"
#include "catena/collide/collider.h"

namespace catena {

std::vector<StartingOverlap> starting_overlaps(const Model& model, const State& state, double shallow) {
  if (!CollideFilter(model).any_may_touch(model)) return {};
  std::vector<Contact> contacts;
  Collider(model, 0).find(state, contacts);
  std::map<std::pair<int, int>, std::size_t> places;
  std::vector<StartingOverlap> out;
  for (const Contact& c : contacts) {
    if (!(-c.gap > shallow)) continue;
    const auto [at, fresh] = places.emplace(std::pair(c.a.value(), c.b.value()), out.size());
    if (fresh) out.push_back({c.a, c.b, c.shape_a, c.shape_b, -c.gap});
    else if (-c.gap > out[at->second].depth) out[at->second] = {c.a, c.b, c.shape_a, c.shape_b, -c.gap};
  }
  return out;
}

}  // namespace catena
