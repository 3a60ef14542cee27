// USD text: what is done with every kind of prim and property.
#include <vector>

#include "catena/import/usda.h"

namespace catena {
namespace {

constexpr std::string_view kAnother = "of another simulator";

// The table as it is written down, one kind of prim after the other.
class UsdRules {
 public:
  std::vector<Rule> rules() {
    element("usda", kUsed, "");
    property("usda", "metersPerUnit", "number", "0.01", kUsed, "");
    property("usda", "kilogramsPerUnit", "number", "1", kUsed, "");
    property("usda", "upAxis", "Y, Z", "Y", kUsed, "gravity points down it");
    property("usda", "*", "", "", kNot, kAnother, false);
    element("PhysicsScene", kUsed, "");
    property("PhysicsScene", "physics:gravityDirection", "3 numbers", "down", kUsed, "");
    property("PhysicsScene", "physics:gravityMagnitude", "number", "9.81 m/s²", kUsed, "negative: the default");
    property("PhysicsScene", "*", "", "", kNot, kAnother, false);
    add_solids();
    add_joints();
    element("PhysicsCollisionGroup", kNot, "groups of shapes that do not touch are not read");
    for (const std::string_view looks : {"Material", "Shader", "Camera", "DistantLight", "DomeLight", "SphereLight",
                                         "GeomSubset", "BasisCurves", "Points", "NodeGraph"})
      element(looks, kNot, kLooks, false);
    return std::move(out_);
  }

 private:
  void element(std::string_view name, Fate fate, std::string_view note, bool physics = true) {
    out_.push_back({name, "", "", "", fate, note, physics});
    for (const std::string_view own : {"name", "path", "apiSchemas"})
      out_.push_back({name, own, "text", "", kUsed, ""});
    for (const std::string_view looks :
         {"purpose", "visibility", "extent", "doubleSided", "subdivisionScheme", "normals", "instanceable",
          "primvars:displayColor", "primvars:displayOpacity", "primvars:st", "material:binding"})
      out_.push_back({name, looks, "", "", kNot, kLooks, false});
    for (const std::string_view arc : {"references", "payload", "inherits", "specializes", "variantSet", "variants"})
      out_.push_back({name, arc, "", "", kNot, "other files and variants are not followed"});
  }

  void property(std::string_view name, std::string_view key, std::string_view type, std::string_view otherwise,
                Fate fate, std::string_view note, bool physics = true) {
    out_.push_back({name, key, type, otherwise, fate, note, physics});
  }

  void add_solids() {
    for (const std::string_view solid :
         {"Xform", "Scope", "prim", "Cube", "Sphere", "Capsule", "Cylinder", "Plane", "Mesh"}) {
      element(solid, kUsed, "");
      for (const std::string_view op : {"xformOp:translate", "xformOp:rotateXYZ", "xformOp:rotateX", "xformOp:rotateY",
                                        "xformOp:rotateZ", "xformOp:orient", "xformOp:scale", "xformOp:transform"})
        property(solid, op, "numbers", "", kUsed, op == "xformOp:scale" ? "of shapes" : "degrees");
      property(solid, "xformOpOrder", "names", "", kUsed, "");
      for (const std::string_view mass : {"physics:mass", "physics:density", "physics:centerOfMass",
                                          "physics:diagonalInertia", "physics:principalAxes"})
        property(solid, mass, "numbers", "0", kUsed,
                 mass == "physics:mass" ? "0: from the density (1000) and shapes" : "");
      property(solid, "physics:rigidBodyEnabled", "flag", "1", kUsed, "");
      property(solid, "physics:collisionEnabled", "flag", "1", kUsed, "");
      property(solid, "physics:velocity", "3 numbers", "0", kUsed, "");
      property(solid, "physics:angularVelocity", "3 numbers", "0", kUsed, "degrees a second");
      property(solid, "physics:kinematicEnabled", "flag", "0", kNot, "a body moved from outside is not modelled");
      property(solid, "physics:startsAsleep", "flag", "0", kNot, kAnother, false);
      property(solid, "physics:approximation", "word", "", kNot, "meshes collide as their convex hulls", false);
      for (const std::string_view size :
           {"size", "radius", "height", "axis", "width", "length", "points", "faceVertexCounts", "faceVertexIndices"})
        property(solid, size, "numbers", "", kUsed, "");
      property(solid, "*", "", "", kNot, "not known", false);
    }
  }

  void add_joints() {
    for (const std::string_view joint : {"PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint",
                                         "PhysicsFixedJoint", "PhysicsDistanceJoint", "PhysicsJoint"}) {
      element(joint, kUsed,
              joint == "PhysicsJoint" ? "by its limits: a weld, ball, hinge, slider or several of these" : "");
      for (const std::string_view place : {"physics:body0", "physics:body1", "physics:localPos0", "physics:localPos1",
                                           "physics:localRot0", "physics:localRot1"})
        property(joint, place, "", "", kUsed, "");
      property(joint, "physics:axis", "X, Y, Z", "X", kUsed, "");
      property(joint, "physics:lowerLimit", "number", "-inf", kUsed, "degrees");
      property(joint, "physics:upperLimit", "number", "inf", kUsed, "degrees");
      property(joint, "physics:minDistance", "number", "", Fate::approximated,
               "a distance joint keeps the distance of the start");
      property(joint, "physics:maxDistance", "number", "", Fate::approximated,
               "a distance joint keeps the distance of the start");
      for (const std::string_view cone : {"physics:coneAngle0Limit", "physics:coneAngle1Limit"})
        property(joint, cone, "number", "-1", kUsed, "degrees; the larger one bounds a round cone");
      for (const std::string_view way : {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"})
        for (const std::string_view end : {"low", "high"}) {
          static std::vector<std::string> names = [] {
            std::vector<std::string> all;
            all.reserve(12);
            for (const char* w : {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"})
              for (const char* e : {"low", "high"}) all.push_back(std::string("limit:") + w + ":physics:" + e);
            return all;
          }();
          for (const std::string& name : names)
            if (name.find(way) != std::string::npos && name.ends_with(end))
              property(joint, name, "number", "", kUsed, "degrees, or the unit of length; low above high: locked");
        }
      for (const std::string_view drive :
           {"drive:angular:physics:stiffness", "drive:angular:physics:damping", "drive:linear:physics:stiffness",
            "drive:linear:physics:damping", "drive:angular:physics:targetPosition",
            "drive:angular:physics:targetVelocity", "drive:linear:physics:targetPosition",
            "drive:linear:physics:targetVelocity", "drive:angular:physics:maxForce", "drive:linear:physics:maxForce"})
        property(joint, drive, "number", "0", kUsed,
                 "a position or velocity actuator; angles in degrees, gains per degree");
      for (const std::string_view type : {"drive:angular:physics:type", "drive:linear:physics:type"})
        property(joint, type, "force, acceleration", "force", kUsed, "acceleration: read as force, and said");
      for (const std::string_view top :
           {"drive:angular:physics:maxVelocity", "drive:linear:physics:maxVelocity", "physxJoint:maxJointVelocity"})
        property(joint, top, "number", "inf", kNot, "the speed of a joint is not bounded", false);
      property(joint, "physxJoint:armature", "number", "0", kUsed, "");
      property(joint, "physxJoint:jointFriction", "number", "0", Fate::approximated,
               "dry friction of so many N m, or N");
      property(joint, "physics:jointEnabled", "flag", "1", kUsed, "");
      property(joint, "physics:excludeFromArticulation", "flag", "0", kUsed, "closes a loop");
      property(joint, "physics:collisionEnabled", "flag", "0", kNot,
               "whether joined bodies touch is of the whole scene");
      for (const std::string_view end : {"physics:breakForce", "physics:breakTorque"})
        property(joint, end, "number", "inf", kNot, "joints do not break");
      property(joint, "*", "", "", kNot, kAnother, false);
    }
  }

  std::vector<Rule> out_;
};

}  // namespace

const Format& usda_format() {
  static const std::vector<Rule> list = UsdRules().rules();
  static const Format format{"USD", list};
  return format;
}

}  // namespace catena
