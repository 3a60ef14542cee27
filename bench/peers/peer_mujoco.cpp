// MuJoCo: mj_forward with contacts and constraints off. It forms the joint-space inertia matrix and factors it branch by branch.
#include <memory>
#include <sstream>
#include <string>

#include "common.h"
#include "mujoco_model.h"

namespace {

using namespace peers;

// A model and its data, from the text of a file.
class Engine {
 public:
  explicit Engine(const std::string& text) {
    model_.reset(load_mujoco(text));
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    model_->opt.gravity[2] = -kGravity;
    data_.reset(mj_makeData(model_.get()));
    for (int i = 0; i < model_->nv; ++i) rates_.push_back(rate(i));
  }

  void forward() { mj_forward(model_.get(), data_.get()); }
  void set_rates() { std::copy(rates_.begin(), rates_.end(), data_->qvel); }
  const mjModel& model() const { return *model_; }
  mjData& data() { return *data_; }

 private:
  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  std::vector<double> rates_;
};

std::ostringstream exact_text() {
  std::ostringstream out;
  out.precision(17);
  return out;
}

// URDF, because its links do not nest: the XML reader does not go hundreds of elements deep.
std::string urdf(const std::vector<HingeLink>& links) {
  std::ostringstream out = exact_text();
  const auto put = [&](const Vec& v) -> std::ostream& { return out << v.x << " " << v.y << " " << v.z; };
  out << "<robot name='hinges'><link name='ground'/>";
  for (std::size_t i = 0; i < links.size(); ++i) {
    const HingeLink& link = links[i];
    const Vec& I = link.inertia;
    const std::string parent = link.parent < 0 ? "ground" : "link" + std::to_string(link.parent);
    out << "<link name='link" << i << "'><inertial><origin xyz='";
    put(link.centre) << "'/><mass value='" << link.mass << "'/><inertia ixx='" << I.x << "' iyy='" << I.y << "' izz='"
                     << I.z << "' ixy='0' ixz='0' iyz='0'/></inertial></link>";
    out << "<joint name='hinge" << i << "' type='continuous'><origin xyz='";
    put(link.hinge) << "'/><parent link='" << parent << "'/><child link='link" << i << "'/><axis xyz='";
    put(link.axis) << "'/></joint>";
  }
  out << "</robot>";
  return out.str();
}

// A body's frame is at its ball joint; the root's at its centre.
void tree_element(std::ostringstream& out, const std::vector<TreeBody>& bodies, int i) {
  const auto at = [&](int k) -> const TreeBody& { return bodies[static_cast<std::size_t>(k)]; };
  const TreeBody& b = at(i);
  if (i == 0) out << "<body><freejoint/>";
  else
    out << "<body pos='0 0 " << (b.parent == 0 ? -at(0).length / 2 : -at(b.parent).length) << "' quat='"
        << std::cos(b.lean / 2) << " 0 " << std::sin(b.lean / 2) << " 0'><joint type='ball'/>";
  out << "<inertial pos='0 0 " << (i == 0 ? 0 : -b.length / 2) << "' mass='" << b.mass << "' diaginertia='"
      << b.inertia.x << " " << b.inertia.y << " " << b.inertia.z << "'/>";
  for (const int child : {2 * i, 2 * i + 1})
    if (child > i && child < static_cast<int>(bodies.size())) tree_element(out, bodies, child);
  out << "</body>";
}

std::string tree_mjcf(int n) {
  std::ostringstream out = exact_text();
  out << "<mujoco><compiler angle='radian' inertiafromgeom='false'/><worldbody>";
  tree_element(out, tree(n), 0);
  out << "</worldbody></mujoco>";
  return out.str();
}

class Hinges {
 public:
  explicit Hinges(const std::vector<HingeLink>& links) : n_(static_cast<int>(links.size())), engine_(urdf(links)) {}
  void evaluate(int k) {
    std::fill_n(engine_.data().qpos, n_, kAngles[k]);
    engine_.set_rates();
    engine_.forward();
  }
  double largest() {
    double a = 0;
    for (int i = 0; i < n_; ++i) a = std::max(a, std::abs(engine_.data().qacc[i]));
    return a;
  }

 private:
  int n_;
  Engine engine_;
};

class Tree {
 public:
  explicit Tree(int n) : n_(n), engine_(tree_mjcf(n)) {}
  void evaluate(int k) {
    const Turn turn(kAngles[k]);
    for (int i = 0; i < n_; ++i) {
      double* q = engine_.data().qpos + 7 + 4 * i;
      q[0] = turn.w;
      q[1] = turn.x;
      q[2] = q[3] = 0;
    }
    engine_.set_rates();
    engine_.forward();
  }
  double root_spin(double torque) {
    mj_resetData(&engine_.model(), &engine_.data());
    engine_.data().xfrc_applied[6 + 3] = torque;
    engine_.forward();
    engine_.data().xfrc_applied[6 + 3] = 0;
    return engine_.data().qacc[3];
  }

 private:
  int n_;
  Engine engine_;
};

}  // namespace

int main(int argc, char** argv) { return peers::run<Hinges, Tree>("mujoco", 512, argc, argv); }
