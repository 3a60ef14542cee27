// The frames of an SDF file: links, joints, frames and models, each with a pose in another one.
#pragma once

#include <map>
#include <string>

#include "catena/import/robot.h"

namespace catena {

class SdfFrames {
 public:
  explicit SdfFrames(const XmlTree& tree) : tree_(tree) {}

  // `name` with its scope before it ("arm::hand::finger"). `relative` and `attached` are names as written in `scope`; a frame without
  // `attached` is a link. Fails where the name is taken.
  void add(const std::string& name, const std::string& scope, const Pose& pose, const std::string& relative,
           const std::string& attached, const XmlNode& node);

  // The whole name of what is written as `name` in `scope`; fails where there is none.
  std::string find(const std::string& name, const std::string& scope, const XmlNode& node) const;

  Pose world(const std::string& name) const;           // fails where poses depend on themselves
  std::string link_of(const std::string& name) const;  // the link a frame is attached to; "world" for the world

 private:
  struct Frame {
    std::string scope, relative, attached;
    Pose pose{};
    const XmlNode* node = nullptr;
    mutable int state = 0;  // 1: being placed, 2: placed
    mutable Pose world{};
  };
  const Frame& at(const std::string& name) const;

  const XmlTree& tree_;
  std::map<std::string, Frame> frames_;
};

// <pose degrees rotation_format>x y z roll pitch yaw</pose>; none: the identity.
Pose read_sdf_pose(const XmlTree& tree, const XmlNode* pose);

}  // namespace catena
