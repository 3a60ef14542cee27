// SDF: joints between bodies that are already there.
#pragma once

#include <functional>
#include <string>

#include "catena/import/robot.h"
#include "catena/import/rules.h"
#include "catena/import/sdf_frames.h"
#include "catena/model/placement.h"

namespace catena {

struct SdfJoint {
  std::string name, scope, type;
  const XmlNode* node = nullptr;
  std::string parent, child;  // as written: links, frames or models
};

class SdfJoints {
 public:
  using BodyOf = std::function<BodyId(const std::string& name, const SdfJoint& joint)>;
  // `prefix` is left out of names.
  SdfJoints(const XmlTree& tree, const SdfFrames& frames, BodyOf body_of, std::string prefix, LedgerWriter& ledger,
            BuiltRobot& built)
      : tree_(tree),
        frames_(frames),
        body_of_(std::move(body_of)),
        prefix_(std::move(prefix)),
        ledger_(ledger),
        built_(built) {}

  void add(const SdfJoint& joint);
  void add_mimics(const SdfJoint& joint);  // after all joints

 private:
  double number(const XmlNode* node, const char* name, double otherwise) const;
  Vec3 axis(const SdfJoint& joint, const char* name) const;  // in the world
  Freedom freedom(const SdfJoint& joint, const char* name, bool slides) const;
  void add_gearbox(const SdfJoint& joint);
  void add_control(const SdfJoint& joint, const XmlNode* axis, JointId id, int coordinate, const std::string& name);
  void append(const SdfJoint& joint, const JointSpec& spec, BodyId a, BodyId b);
  std::string short_name(const std::string& name) const;

  const XmlTree& tree_;
  const SdfFrames& frames_;
  BodyOf body_of_;
  std::string prefix_;
  LedgerWriter& ledger_;
  BuiltRobot& built_;
  std::map<std::string, JointId> joints_;  // by whole name
};

}  // namespace catena
