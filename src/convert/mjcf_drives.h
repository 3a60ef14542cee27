// Tendons and actuators of a scene as sections of MJCF.
#pragma once

#include "catena/convert/writing.h"

namespace catena {

// Springs, dampers, dry friction and rotors, where there are some.
void add_mjcf_law(double damping, double stiffness, double rest, double friction, double armature,
                  XmlWriter::Attributes& a);

class MjcfDrives {
 public:
  MjcfDrives(const Model& model, XmlWriter& xml, Losses& losses) : model_(model), xml_(xml), losses_(losses) {}
  void tendons();
  void actuators();

 private:
  void path(const Tendon& tendon);
  void control(const Control& control);

  const Model& model_;
  XmlWriter& xml_;
  Losses& losses_;
};

}  // namespace catena
