// MJCF: muscles, and the range of lengths that their transmissions have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "catena/import/mjcf_reader.h"
#include "catena/math/scalar.h"
#include "catena/model/joint_rules.h"

namespace catena::mjcf {

// Activation dynamics and curves, on top of what a class of defaults has set.
void Reader::apply_muscle(const XmlNode& node, ActuatorParams& params) const {
  Control& c = params.control;
  const auto numbers = [&](const char* key, std::size_t least, std::size_t most) {
    const std::string* text = node.find(key);
    return text ? read_numbers(tree_, node, key, *text, least, most) : std::vector<double>{};
  };
  const auto put = [&](const char* key, double& to) {
    if (const std::string* text = node.find(key)) to = read_one(tree_, node, key, *text);
  };
  if (c.dynamics != Control::Dynamics::muscle) c.time_constant = 0.01, c.release_time = 0.04, c.smoothing = 0;
  c.dynamics = Control::Dynamics::muscle;
  if (const std::vector<double> times = numbers("timeconst", 1, 2); !times.empty()) {
    c.time_constant = times[0];
    if (times.size() > 1) c.release_time = times[1];
  }
  put("tausmooth", c.smoothing);
  if (!c.muscle) c.muscle.emplace().force = -1;
  Muscle& m = *c.muscle;
  if (const std::vector<double> range = numbers("range", 2, 2); !range.empty())
    m.range_lower = range[0], m.range_upper = range[1];
  put("force", m.force);
  put("scale", params.muscle_scale);
  put("lmin", m.shortest);
  put("lmax", m.longest);
  put("vmax", m.fastest);
  put("fpmax", m.passive);
  put("fvmax", m.lengthening);
  if (const std::vector<double> range = numbers("lengthrange", 2, 2); !range.empty())
    params.length_range = {range[0], range[1]};
}

// The same as numbers of a general actuator, on top of what a class of defaults has set.
void Reader::apply_muscle_curves(const std::vector<double>& prm, ActuatorParams& params) const {
  if (!params.control.muscle) params.control.muscle.emplace().force = -1;
  Muscle& m = *params.control.muscle;
  double* const to[] = {&m.range_lower, &m.range_upper, &m.force,   &params.muscle_scale, &m.shortest,
                        &m.longest,     &m.fastest,     &m.passive, &m.lengthening};
  for (std::size_t k = 0; k < std::min(std::size(to), prm.size()); ++k) *to[k] = prm[k];
}

void Reader::settle_muscle(const XmlNode& node, ActuatorParams& params) {
  Muscle& m = *params.control.muscle;
  if (const std::string* text = node.find("lengthrange")) {
    const std::vector<double> range = read_numbers(tree_, node, "lengthrange", *text, 2, 2);
    params.length_range = {range[0], range[1]};
  }
  if (!(params.length_range[0] < params.length_range[1])) {
    params.length_range = range_of_lengths(node, params.control);
    ledger_.note(
        node, "", Fate::approximated,
        fmt::format("its lengths range from {:.6g} to {:.6g} m, found by a search over the ranges of the joints",
                    params.length_range[0], params.length_range[1]));
  }
  m.length_lower = params.length_range[0];
  m.length_upper = params.length_range[1];
  if (m.force < 0) {
    const double acceleration = reference_inertia().acceleration(rates_of(params.control));
    m.force = params.muscle_scale / std::max(acceleration, 1e-15);
    ledger_.note(node, node.find("force") ? "force" : "", Fate::used, fmt::format("peak force {:.6g} N", m.force));
  }
  const bool good = m.range_lower < m.range_upper && m.length_lower < m.length_upper && m.shortest < 1 &&
                    m.longest > 1 && m.fastest > 0 && m.passive >= 0 && m.lengthening >= 1 &&
                    params.control.time_constant > 0 && params.control.release_time > 0 &&
                    params.control.smoothing >= 0;
  if (!good) {
    params.expressible = false;
    params.why_not =
        "a muscle needs ranges that are not empty, lmin < 1 < lmax, vmax > 0, fvmax ≥ 1 and times that are positive";
  }
}

namespace {

// The largest value of f over a box, by cyclic search along the coordinates from several corners: for lengths, which bend a few times at most.
template <class F>
double largest(const F& f, const std::vector<std::pair<double, double>>& box, const std::vector<double>& start) {
  constexpr int kSweeps = 12, kSamples = 16, kStarts = 4;
  double best = -std::numeric_limits<double>::infinity();
  for (int corner = 0; corner < kStarts; ++corner) {
    std::vector<double> x = start;
    for (std::size_t k = 0; k < x.size() && corner > 0; ++k)
      x[k] = (corner == 3 ? (k % 2 == 0) : corner == 1) ? box[k].first : box[k].second;
    double value = f(x);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const double before = value;
      for (std::size_t k = 0; k < x.size(); ++k) {
        double lower = box[k].first, upper = box[k].second;
        for (int zoom = 0; zoom < 4; ++zoom) {
          double here = x[k];
          for (int i = 0; i <= kSamples; ++i) {
            const double old = x[k];
            x[k] = lower + (upper - lower) * i / kSamples;
            const double now = f(x);
            if (now > value) value = now, here = x[k];
            x[k] = old;
          }
          x[k] = here;
          const double width = (upper - lower) / kSamples;
          lower = std::max(box[k].first, here - width);
          upper = std::min(box[k].second, here + width);
        }
      }
      if (value - before <= 1e-9 * (1 + std::abs(value))) break;
    }
    best = std::max(best, value);
  }
  return best;
}

}  // namespace

std::array<double, 2> Reader::range_of_lengths(const XmlNode& node, const Control& control) {
  const Model& model = built_.scene.model;
  const Tendon* tendon = control.tendon >= 0 ? &model.tendons[at(control.tendon)] : nullptr;
  // The coordinates that change the length: those that move some of its bodies and not all of them.
  std::map<int, int> moved;
  int bodies = 0;
  const auto count = [&](int site) {
    if (site < 0) return;
    ++bodies;
    const int carrier = carried_by(model.sites[at(site)].body);
    if (carrier < 0) return;
    for (const int rate : reference_inertia().rates_that_move(carrier)) ++moved[rate];
  };
  if (tendon != nullptr)
    for (const Tendon::Piece& piece : tendon->path) count(piece.from), count(piece.to), count(piece.around);
  std::set<int> rates;
  for (const auto& [rate, times] : moved)
    if (times < bodies) rates.insert(rate);
  for (const auto& [rate, factor] : rates_of(control))
    if (tendon == nullptr || !tendon->is_path()) rates.insert(rate);

  std::vector<double> q(at(built_.n_q)), start;
  std::vector<std::pair<double, double>> box;
  std::vector<std::size_t> place;
  for (const FileJoint& file : built_.joints) {
    const bool scalar = file.kind == RobotJoint::Kind::hinge || file.kind == RobotJoint::Kind::slide;
    if (file.kind == RobotJoint::Kind::free) q[at(file.q) + 3] = 1;
    else q[at(file.q)] = scalar ? file.reference : 1;
    if (!rates.contains(file.v) || !scalar) continue;
    const Joint& joint = model.joints[file.joint];
    const CoordinateLaw law = coordinate_law(joint, model.extras_of(joint), file.coordinate);
    const bool turns = file.kind == RobotJoint::Kind::hinge;
    const double reach = turns ? std::numbers::pi : 0;
    box.emplace_back(law.limits ? law.limits->lower : file.reference - reach,
                     law.limits ? law.limits->upper : file.reference + reach);
    start.push_back(std::clamp(file.reference, box.back().first, box.back().second));
    place.push_back(at(file.q));
    if (!law.limits)
      ledger_.note(node, "", Fate::approximated, fmt::format("joint '{}', which it crosses, has no range", file.name));
  }
  std::vector<BodyState> states;
  std::vector<JointArray> coordinates;
  const auto length = [&](const std::vector<double>& x) {
    for (std::size_t k = 0; k < x.size(); ++k) q[place[k]] = x[k];
    double sum = 0;
    const auto term = [&](JointId joint, int coordinate, double g) {
      for (const FileJoint& file : built_.joints)
        if (file.joint == joint && file.coordinate == coordinate) sum += g * q[at(file.q)];
    };
    if (tendon == nullptr) term(control.joint, control.coordinate, 1);
    else
      for (const Tendon::Term& t : tendon->terms) term(t.joint, t.coordinate, t.coefficient);
    if (tendon != nullptr && tendon->is_path()) {
      place_robot(built_, q, {}, states, coordinates);
      sum += path_length(*tendon, states);
    }
    return control.gear * sum;
  };
  const double upper = largest(length, box, start);
  const double lower = -largest([&](const std::vector<double>& x) { return -length(x); }, box, start);
  return {lower, upper};
}

}  // namespace catena::mjcf
