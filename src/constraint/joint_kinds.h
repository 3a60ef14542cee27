// The joint kinds together: a new kind is one file and one line here.
#pragma once

#include "catena/constraint/aligned_axes.h"
#include "catena/constraint/ball.h"
#include "catena/constraint/compound.h"
#include "catena/constraint/cylindrical.h"
#include "catena/constraint/distance.h"
#include "catena/constraint/fixed_orientation.h"
#include "catena/constraint/gear.h"
#include "catena/constraint/hinge.h"
#include "catena/constraint/perpendicular_axes.h"
#include "catena/constraint/pin.h"
#include "catena/constraint/planar_joint.h"
#include "catena/constraint/planar_weld.h"
#include "catena/constraint/point_on_line.h"
#include "catena/constraint/point_on_plane.h"
#include "catena/constraint/point_on_surface.h"
#include "catena/constraint/rack.h"
#include "catena/constraint/rolling.h"
#include "catena/constraint/screw.h"
#include "catena/constraint/skate.h"
#include "catena/constraint/slider.h"
#include "catena/constraint/tangent_surfaces.h"
#include "catena/constraint/universal.h"
#include "catena/constraint/weld.h"

namespace catena {

// A coupling has rows over any number of bodies; they are evaluated by coupling.h, not here.
struct NoJoint {
  static void rows(const JointPose&, Rows&) {}
  static void coordinates(const JointPose&, Rows&) {}
};

// Calls f with the struct of the joint's kind.
template <class F>
constexpr auto visit(JointKind kind, F&& f) {
  switch (kind) {
    case JointKind::ball: return f(Ball{});
    case JointKind::hinge: return f(Hinge{});
    case JointKind::slider: return f(Slider{});
    case JointKind::cylindrical: return f(Cylindrical{});
    case JointKind::universal: return f(Universal{});
    case JointKind::planar: return f(PlanarJoint{});
    case JointKind::weld: return f(Weld{});
    case JointKind::screw: return f(Screw{});
    case JointKind::distance: return f(Distance{});
    case JointKind::point_on_line: return f(PointOnLine{});
    case JointKind::point_on_plane: return f(PointOnPlane{});
    case JointKind::fixed_orientation: return f(FixedOrientation{});
    case JointKind::aligned_axes: return f(AlignedAxes{});
    case JointKind::perpendicular_axes: return f(PerpendicularAxes{});
    case JointKind::gear: return f(Gear{});
    case JointKind::rack: return f(Rack{});
    case JointKind::rolling: return f(Rolling{});
    case JointKind::skate: return f(Skate{});
    case JointKind::compound: return f(Compound{});
    case JointKind::pin: return f(Pin{});
    case JointKind::planar_weld: return f(PlanarWeld{});
    case JointKind::point_on_surface: return f(PointOnSurface{});
    case JointKind::tangent_surfaces: return f(TangentSurfaces{});
    case JointKind::coupling: break;
  }
  return f(NoJoint{});
}

}  // namespace catena
