// USD text: joints between bodies that are already there, and their drives.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "catena/import/robot.h"
#include "catena/import/rules.h"
#include "catena/model/placement.h"

namespace catena {

struct UsdPlace {
  BodyId body;
  Pose world{};  // of the prim
};

class UsdJoints {
 public:
  using PlaceOf = std::function<std::optional<UsdPlace>(const std::string& path)>;
  UsdJoints(const XmlTree& tree, double length, double mass, PlaceOf place_of, LedgerWriter& ledger, BuiltRobot& built)
      : tree_(tree), length_(length), mass_(mass), place_of_(std::move(place_of)), ledger_(ledger), built_(built) {}

  void add(const XmlNode& prim);

 private:
  struct End {
    BodyId body;
    Pose frame{};  // of the joint, in the world
  };
  std::optional<double> number(const XmlNode& prim,
                               const std::string& key) const;  // none where it is missing or infinite
  End end(const XmlNode& prim, const char* which) const;
  Vec3 direction(const Vec3& axis);
  Limits limits(const XmlNode& prim, const std::string& low, const std::string& high, double unit) const;
  bool simple(const XmlNode& prim, const End& a, const End& b, JointSpec& spec);
  bool general(const XmlNode& prim, const End& a, JointSpec& spec);
  void drive(const XmlNode& prim, JointId joint, bool turns);

  const XmlTree& tree_;
  double length_, mass_;
  PlaceOf place_of_;
  LedgerWriter& ledger_;
  BuiltRobot& built_;
  std::set<std::string> names_;
  std::vector<Vec3> directions_;  // of the axes so far
};

}  // namespace catena
