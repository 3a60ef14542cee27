// The geometry of one piece of a tendon's path (Tendon::Piece): how long it is where its sites are, and what that changes by when they move.
// Along a shortest path the length changes with its ends alone, so a piece around a sphere or cylinder is two straight spans, each between a
// site and the point where the path meets the surface, taken as fixed in that body; the arc between them adds its length.
#pragma once

#include <array>
#include <optional>

#include "catena/math/rotation.h"
#include "catena/model/model.h"

namespace catena {

// Where a body is; the ground: as it is by itself.
struct BodyFrame {
  Vec3 x{};
  Mat3 R = Mat3::identity();
  double scale = 1;

  Vec3 operator()(const Vec3& point) const { return x + scale * (R * point); }
};

// An end of a span: the length changes by along · δpoint + turning · δθ of its body.
struct SpanEnd {
  BodyId body{};
  Vec3 point{}, along{}, turning{};  // world
};

struct PieceShape {
  double length = 0;
  int spans = 0;                  // 1, or 2 around something; 0: the piece is a point, and has no direction to pull in
  std::array<SpanEnd, 4> ends{};  // first and last of every span
};

// Where the bodies of the four sites of the piece are; of those it does not have anything will do.
struct PieceFrames {
  BodyFrame from{}, to{}, around{}, side{};
};
PieceShape shape_of(const Model& model, const Tendon::Piece& piece, const PieceFrames& frames);

// The frames of a piece's bodies by frame_of(BodyId) → BodyFrame.
template <class FrameOf>
PieceFrames frames_of(const Model& model, const Tendon::Piece& piece, const FrameOf& frame_of) {
  const auto at = [&](int site) {
    return site < 0 ? BodyFrame{} : BodyFrame(frame_of(model.sites[static_cast<std::size_t>(site)].body));
  };
  return {at(piece.from), at(piece.to), at(piece.around), at(piece.side)};
}

// Where a string from one point to another, coordinates of the object, leaves and meets its surface, and the length of what lies on it;
// none: the object is not in the way, or one of the points is inside it.
struct Bend {
  Vec3 first{}, second{};
  double arc = 0;
};
std::optional<Bend> bend_around(double radius, bool cylinder, const Vec3& from, const Vec3& to, const Vec3* side);

}  // namespace catena
