// How far bodies may move before anything can touch: a search for contacts that would find none need not be made.
#pragma once

#include <utility>
#include <vector>

#include "catena/collide/collide_filter.h"
#include "catena/collide/convex.h"
#include "catena/model/state.h"

namespace catena {

// Balls about the centres of mass that hold the shapes of their bodies, so that turning does not count. For models with few bodies, and none
// that changes its size; for others holds() is always false.
class Clearance {
 public:
  // `margin`: gaps up to it are contacts. Keeps nothing of the model.
  Clearance(const Model& model, double margin);

  // Whether Collider::find(state, …, ahead) finds nothing, known from how little everything has moved since renew(). O(n).
  bool holds(const State& state, double ahead) const;
  // Where bodies are now. O(n²).
  void renew(const State& state);

 private:
  struct Ball {
    BodyId body;
    double radius;
    bool touches_ground;
  };
  struct Wall {
    Vec3 normal;
    double offset;
  };
  double distance_to_ground(const Vec3& point) const;

  double margin_;
  std::vector<Ball> balls_;
  std::vector<std::pair<int, int>> pairs_;  // of balls that may touch
  std::vector<Wall> walls_;                 // planes of the ground
  std::vector<Aabb> boxes_;                 // about its other shapes
  std::vector<Vec3> from_;                  // centres of the balls at renew()          (balls)
  bool known_;                              // whether balls describe the model
  double room_ = -1;                        // how far each may have got from there [m]
};

}  // namespace catena
