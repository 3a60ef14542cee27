// MuJoCo on N four-bars in a row: cranks and couplers are two-link chains, the other end of each coupler is held by a `connect` constraint, as stiff
// as the step of 1 ms allows (solref of two steps). Prints the time of a step and the largest gap of a loop.
#include <cmath>
#include <memory>
#include <sstream>
#include <string>

#include "common.h"
#include "mujoco_model.h"

namespace {

using namespace peers;

struct Delete {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

std::string rod(const Vec& to) {
  const double length = std::sqrt(to.x * to.x + to.z * to.z);
  const Vec I = box_inertia(1, length, 0.05, 0.05);
  std::ostringstream out;
  out.precision(17);
  out << "<inertial pos='" << to.x / 2 << " 0 " << to.z / 2 << "' mass='1' diaginertia='" << I.x << " " << I.y << " "
      << I.z << "'/>";
  return out.str();
}

std::string four_bars(int n) {
  const double c = std::cos(1.0), s = std::sin(1.0);
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler inertiafromgeom='false'/><option timestep='0.001' gravity='0 0 -9.81'/><worldbody>";
  for (int k = 0; k <= n; ++k) {
    out << "<body name='crank" << k << "' pos='" << k << " 0 0'><joint type='hinge' axis='0 1 0'/>" << rod({c, 0, s});
    if (k < n)
      out << "<body name='coupler" << k << "' pos='" << c << " 0 " << s << "'><joint type='hinge' axis='0 1 0'/>"
          << rod({1, 0, 0}) << "</body>";
    out << "</body>";
  }
  out << "</worldbody><equality>";
  for (int k = 0; k < n; ++k)
    out << "<connect body1='coupler" << k << "' body2='crank" << k + 1 << "' anchor='1 0 0' solref='0.002 1'/>";
  out << "</equality></mujoco>";
  return out.str();
}

}  // namespace

int main() {
  for (const int n : {1, 20, 80}) {
    const std::unique_ptr<mjModel, Delete> model(load_mujoco(four_bars(n)));
    const std::unique_ptr<mjData, Delete> data(mj_makeData(model.get()));
    // The cranks turn at −1 rad/s about y, the couplers not at all.
    for (int i = 0; i < model->nv; ++i) data->qvel[i] = i % 2 == 0 ? -1 : 1;
    double gap = 0;
    const auto go = [&](int steps) {
      for (int i = 0; i < steps; ++i) {
        mj_step(model.get(), data.get());
        for (int r = 0; r < data->nefc; ++r) gap = std::max(gap, std::abs(data->efc_pos[r]));
      }
    };
    go(100);
    const int steps = 2000 / n + 50;
    const double start = cpu_seconds();
    go(steps);
    report("four-bars in a row", 2 * n + 1, "a step", (cpu_seconds() - start) / steps * 1e6, "us");
    report("four-bars in a row", 2 * n + 1, "joints open by", gap, "m");
  }
}
