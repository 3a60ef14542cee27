// MuJoCo on the mechanisms of hold.h, by its defaults and as stiff as its documentation advises.
#include <memory>
#include <sstream>

#include "hold.h"
#include "mujoco_model.h"

namespace {

using namespace peers;

struct Delete {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

std::string bar(const Bar& b, const Vec& parent, const std::string& name, const std::string& inner) {
  const Vec I = box_inertia(b.mass, b.length, kBarThickness, kBarThickness);
  std::ostringstream out;
  out.precision(17);
  // Frames are parallel to the world's; the inertia lies along the bar.
  out << "<body name='" << name << "' pos='" << b.from.x - parent.x << " 0 " << b.from.z - parent.z
      << "'><joint type='hinge' axis='0 1 0'/>"
      << "<inertial pos='" << b.length / 2 * std::cos(b.lean) << " 0 " << b.length / 2 * std::sin(b.lean)
      << "' euler='0 " << -b.lean << " 0' mass='" << b.mass << "' diaginertia='" << I.x << " " << I.y << " " << I.z
      << "'/>" << inner << "</body>";
  return out.str();
}

double bars(const std::string& solref) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler inertiafromgeom='false' angle='radian'/><option timestep='" << kBarsStep
      << "' gravity='0 0 -9.81'/><worldbody>"
      << bar(kCrank, {0, 0, 0}, "crank", bar(kCoupler, {0, 0, 0}, "coupler", ""))
      << bar(kRocker, {0, 0, 0}, "rocker", "")
      << "</worldbody><equality><connect body1='coupler' body2='rocker' anchor='" << kRockerPin.x - kCrankPin.x << " 0 "
      << kRockerPin.z - kCrankPin.z << "' " << solref << "/></equality></mujoco>";
  const std::unique_ptr<mjModel, Delete> model(load_mujoco(out.str()));
  const std::unique_ptr<mjData, Delete> data(mj_makeData(model.get()));
  double worst = 0;
  for (int i = 0; i < std::lround(kBarsTime / kBarsStep); ++i) {
    mj_step(model.get(), data.get());
    double gap = 0;
    for (int r = 0; r < data->nefc; ++r) gap += data->efc_pos[r] * data->efc_pos[r];
    worst = std::max(worst, std::sqrt(gap));
  }
  return worst;
}

double slope(const std::string& option, const std::string& solref) {
  const Vec g = slope_gravity();
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><option timestep='" << kSlopeStep << "' gravity='" << g.x << " 0 " << g.z << "' " << option
      << "/><worldbody>"
      << "<geom type='plane' size='10 10 1' friction='" << kSlopeFriction << " 0 0' " << solref << "/><body pos='0 0 "
      << kCube / 2 << "'><freejoint/>"
      << "<geom type='box' mass='1' size='" << kCube / 2 << " " << kCube / 2 << " " << kCube / 2 << "' friction='"
      << kSlopeFriction << " 0 0' " << solref << "/></body></worldbody></mujoco>";
  const std::unique_ptr<mjModel, Delete> model(load_mujoco(out.str()));
  const std::unique_ptr<mjData, Delete> data(mj_makeData(model.get()));
  double from = 0;
  while (data->time < kSlopeBegin + kSlopeTime) {
    mj_step(model.get(), data.get());
    if (data->time <= kSlopeBegin) from = data->qpos[0];
  }
  return data->qpos[0] - from;
}

}  // namespace

int main() {
  report_bars("defaults", bars(""));
  report_bars("solref of two steps", bars("solref='0.002 1' solimp='0.9999 0.9999 0.001'"));
  report_slope("defaults", slope("", ""));
  report_slope("elliptic cone, impratio 100, solref of two steps",
               slope("cone='elliptic' impratio='100'", "solref='0.004 1'"));
  report_slope("elliptic cone, 20 noslip iterations", slope("cone='elliptic' noslip_iterations='20'", ""));
}
