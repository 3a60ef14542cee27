// Which of a few shapes are near each other, at the cost of those that are: shapes that have not moved far from where they were apart are not
// placed again. For models of few convex shapes that keep their form and size; others are looked for by trees of boxes (broad_phase.h).
//
// Every shape has a room R: where all have moved by no more than that from where they were when rooms were given, only pairs that were less than
// R_i + R_j apart then, and shapes that were less than R above a plane, can touch. What is found does not depend on when that was.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "catena/collide/part.h"

namespace catena {

class Vicinity {
 public:
  // `may_touch`(a, b) of two shapes. Keeps nothing of them.
  void describe(const std::vector<Part>& parts, const std::vector<PlanePart>& planes, double margin,
                const std::function<bool(const Part&, const Part&)>& may_touch);
  // Whether it describes the model.
  bool is_known() const { return known_; }

  // All pairs (i < j) of parts that may touch and whose boxes overlap, in order; these parts and all that is_near() are placed, and grown by half the
  // margin and by how far they can travel in `ahead`. O(n) for n parts, O(n²) where one of them has left its room.
  void find(const State& state, double ahead, std::vector<Part>& parts, const std::vector<PlanePart>& planes,
            std::vector<Vec3>& vertices, std::vector<std::pair<int, int>>& pairs);
  // Whether a part may be near a plane.
  bool is_near(int part) const { return rooms_[static_cast<std::size_t>(part)].near; }

 private:
  struct Room {  // where a part was when rooms were given
    Vec3 position;
    Quat orientation;
    double grow = 0;
    Aabb box;
    double size = 0;    // R
    bool near = false;  // something may be near it: it is placed in every search
  };
  using Pairs = std::vector<std::pair<int, int>>;
  bool is_left(const State& state, double ahead, const std::vector<Part>& parts) const;
  void place(const State& state, double ahead, Part& part, std::vector<Vec3>& vertices) const;
  void give_rooms(const State& state, const std::vector<Part>& parts, const std::vector<PlanePart>& planes);
  void find_near(const std::vector<Part>& parts, const std::vector<PlanePart>& planes);

  bool known_ = false;
  double margin_ = 0;
  Pairs may_;                  // pairs of parts that may touch, one of which moves
  Pairs over_;                 // parts, and planes they may touch
  std::vector<double> reach_;  // of the points of each part from the centre of mass of its body             (parts)
  std::vector<Room> rooms_;    // none: they were never given                                                (parts)
  Pairs near_;                 // those of may_ that can touch while nothing leaves its room
};

}  // namespace catena
