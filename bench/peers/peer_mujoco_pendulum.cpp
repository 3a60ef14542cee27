// MuJoCo's joint coordinates and soft contacts, with its defaults: it has no coefficient of restitution.

#include <sstream>

#include "mujoco_model.h"
#include "pendulum.h"

namespace {

using namespace peers;

std::string mjcf(const Pendulum& p) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><option timestep='" << kPendulumStep << "' gravity='0 0 " << -kPendulumGravity
      << "'/><default><geom friction='" << kFriction << " 0.005 0.0001'/></default><worldbody>"
      << "<geom type='plane' size='50 50 1' contype='0' conaffinity='1'/><geom type='plane' size='50 50 1' pos='"
      << kWall << " 0 0' zaxis='-1 0 0' contype='0' conaffinity='1'/>";
  for (int i = 0; i < p.n; ++i)
    out << "<body pos='0 0 " << (i == 0 ? kBase : -2 * p.radius) << "'><inertial pos='0 0 " << -p.radius
        << "' mass='1' diaginertia='" << p.inertia << " " << p.inertia << " " << p.inertia
        << "'/><joint type='hinge' axis='0 1 0'/><geom type='sphere' size='" << p.radius << "' pos='0 0 " << -p.radius
        << "' contype='1' conaffinity='0'/>";
  for (int i = 0; i < p.n; ++i) out << "</body>";
  out << "</worldbody></mujoco>";
  return out.str();
}

class World {
 public:
  explicit World(const Pendulum& p) {
    model_ = load_mujoco(mjcf(p));
    data_ = mj_makeData(model_);
    data_->qpos[0] = kStartAngle;
    data_->qvel[0] = kStartRate;
  }
  ~World() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() { mj_step(model_, data_); }
  // Where the last step began: MuJoCo finds places at the start of a step.
  Vec centre(int i) const {
    const double* c = data_->xipos + 3 * (i + 1);
    return {c[0], c[1], c[2]};
  }
  double gap() const { return 0; }

 private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

int main() { report_pendulum<World>(""); }
