// The equations of motion as arrays.
#include <fmt/format.h>

#include "catena/mechanism/dynamics.h"
#include "simulated.h"

namespace catena::python {
namespace {

using Type = py::class_<Simulated, SimPtr>;

py::dict contacts_of(const Simulation& s) {
  using namespace py::literals;
  const std::vector<ContactForce>& all = s.contact_forces();
  const auto n = static_cast<Eigen::Index>(all.size());
  RowMajor position(n, 3), normal(n, 3), force(n, 3), slip(n, 3);
  Eigen::Matrix<int, Eigen::Dynamic, 2, Eigen::RowMajor> bodies(n, 2);
  Eigen::VectorXd gap(n), pressing(n);
  std::vector<std::string> state;
  for (Eigen::Index i = 0; i < n; ++i) {
    const ContactForce& c = all[static_cast<std::size_t>(i)];
    const auto put = [i](const Vec3& v, RowMajor& to) { to.row(i) << v.x, v.y, v.z; };
    bodies.row(i) << c.contact.a.value(), c.contact.b.value();
    put(c.contact.position, position);
    put(c.contact.normal, normal);
    put(c.force, force);
    put(c.slip, slip);
    gap[i] = c.contact.gap;
    pressing[i] = c.normal;
    state.emplace_back(c.state == ContactForce::State::stick  ? "stick"
                       : c.state == ContactForce::State::slip ? "slip"
                                                              : "separating");
  }
  return py::dict("bodies"_a = bodies, "position"_a = position, "normal"_a = normal, "gap"_a = gap, "force"_a = force,
                  "normal_force"_a = pressing, "slip"_a = slip, "state"_a = state);
}

py::dict contacts(Simulated& s, const py::object& q, const py::object& v) {
  if (q.is_none() && v.is_none()) return contacts_of(s.sim());
  Simulation& there = s.still(q, v);
  there.evaluate();
  return contacts_of(there);
}

py::dict centroidal(Simulated& s, const py::object& q, const py::object& v) {
  using namespace py::literals;
  const JointDynamics& d = s.at(q, v);
  const Centroidal c = d.centroidal();
  RowMajor inertia(3, 3);
  inertia << c.inertia.xx, c.inertia.xy, c.inertia.xz, c.inertia.xy, c.inertia.yy, c.inertia.yz, c.inertia.xz,
      c.inertia.yz, c.inertia.zz;
  return py::dict("mass"_a = c.mass, "position"_a = to_array(c.position), "velocity"_a = to_array(c.velocity),
                  "angular_momentum"_a = to_array(c.momentum), "inertia"_a = inertia,
                  "momentum_matrix"_a = RowMajor(d.centroidal_momentum_matrix()));
}

py::tuple accelerations(Simulated& s, const py::object& q, const py::object& v) {
  const Dynamics& d = s.still(q, v).evaluate();
  RowMajor vdot(static_cast<Eigen::Index>(d.vdot.size()), 6);
  for (std::size_t i = 0; i < d.vdot.size(); ++i) {
    const BodyVector a = restricted(s.model().bodies[i].kind, d.vdot[i]);
    vdot.row(static_cast<Eigen::Index>(i)) << a.linear.x, a.linear.y, a.linear.z, a.angular.x, a.angular.y, a.angular.z;
  }
  return py::make_tuple(vdot, Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
                                  d.lambda.data(), static_cast<Eigen::Index>(d.lambda.size()))));
}

RowMajor jacobian(Simulated& s, const py::object& which, const py::object& point, const py::object& q) {
  const Where at = s.where(which, point);
  if (!at.body.valid()) return RowMajor::Zero(6, s.sim().layout().n_v());
  return s.at(q, py::none()).jacobian(at.body, at.point);
}

RowMajor compliance(Simulated& s, const std::vector<py::object>& bodies, const py::object& q) {
  std::vector<BodyId> ids;
  for (const py::object& body : bodies) ids.push_back(s.body(body));
  return s.at(q, py::none()).compliance(ids);
}

py::dict equilibrium(Simulated& s, const EquilibriumOptions& options) {
  using namespace py::literals;
  const Equilibrium e = find_equilibrium(s.sim(), options);
  s.show();
  return py::dict("found"_a = e.found, "residual"_a = e.residual, "scale"_a = e.scale, "iterations"_a = e.iterations,
                  "stable"_a = e.stable, "settled"_a = e.settled, "message"_a = e.message);
}

py::tuple linear_model(Simulated& s, const std::string& inputs, double h) {
  if (inputs != "tau" && inputs != "ctrl") throw InputError(fmt::format("inputs='{}': tau or ctrl", inputs));
  const LinearModel m = linearise(s.sim(), inputs == "tau" ? LinearInput::tau : LinearInput::ctrl, h);
  s.show();
  return py::make_tuple(RowMajor(m.A), RowMajor(m.B));
}

py::dict modes_of(Simulated& s) {
  using namespace py::literals;
  const std::vector<Mode> all = modes(s.sim());
  s.show();
  const auto n = static_cast<Eigen::Index>(all.size());
  Eigen::VectorXcd eigenvalue(n);
  Eigen::VectorXd frequency(n), damping(n);
  Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> shape(n, s.sim().layout().n_v());
  for (Eigen::Index i = 0; i < n; ++i) {
    const Mode& m = all[static_cast<std::size_t>(i)];
    eigenvalue[i] = m.eigenvalue;
    frequency[i] = m.frequency;
    damping[i] = m.damping;
    shape.row(i) = m.shape.transpose();
  }
  return py::dict("eigenvalue"_a = eigenvalue, "frequency"_a = frequency, "damping"_a = damping, "shape"_a = shape);
}

// Points (names or handles with points of theirs) to targets, all at once.
double lead(Simulated& s, const std::vector<py::tuple>& drags) {
  std::vector<Drag> all;
  for (const py::tuple& d : drags) {
    const Where at = s.where(d[0], d[1]);
    if (!at.body.valid()) throw InputError("a site of the ground cannot be moved");
    all.push_back({at.body, at.point, vector_of(d[2], "target")});
  }
  const DragReport report = s.sim().drag(all);
  s.show();
  return report.distance;
}

void bind_equations(Type& type) {
  const py::object none = py::none();
  type.def(
          "mass_matrix", [](Simulated& s, const py::object& q) { return RowMajor(s.at(q, py::none()).mass_matrix()); },
          py::arg("q") = none, "M(q), (nv, nv) [kg, kg m, kg m^2]; at the present q where none is given.")
      .def(
          "bias", [](Simulated& s, const py::object& q, const py::object& v) { return s.at(q, v).bias(); },
          py::arg("q") = none, py::arg("v") = none, "Coriolis, centrifugal and gravity forces, (nv,) [N, N m].")
      .def(
          "passive_forces",
          [](Simulated& s, const py::object& q, const py::object& v) { return s.at(q, v).passive_forces(); },
          py::arg("q") = none, py::arg("v") = none, "Of springs, dampers, loads, actuators and tau, (nv,) [N, N m].")
      .def(
          "inverse_dynamics",
          [](Simulated& s, const py::object& vdot, const py::object& q, const py::object& v) {
            const std::vector<double> a = numbers_of(vdot, s.sim().v().size(), "vdot");
            return s.at(q, v).inverse_dynamics(a);
          },
          py::arg("vdot"), py::arg("q") = none, py::arg("v") = none,
          "M vdot + bias, (nv,) [N, N m], of accelerations vdot (nv,).")
      .def(
          "forward_dynamics",
          [](Simulated& s, const py::object& tau, const py::object& q, const py::object& v) {
            const std::vector<double> t = numbers_of(tau, s.sim().v().size(), "tau");
            return s.at(q, v).forward_dynamics(t);
          },
          py::arg("tau"), py::arg("q") = none, py::arg("v") = none,
          "vdot (nv,) under joint forces tau and gravity, loops closed; add passive_forces() for those of the model.")
      .def("jacobian", &jacobian, py::arg("body"), py::arg("point") = none, py::arg("q") = none,
           "(6, nv): velocity and angular velocity, world axes, by v, of a point of a body or site (by name or handle; "
           "a body's point in body coordinates from the centre of mass, a site's in its own).");
}

void bind_loops_and_contacts(Type& type) {
  const py::object none = py::none();
  type.def(
          "constraint_jacobian",
          [](Simulated& s, const py::object& q) { return RowMajor(s.at(q, py::none()).constraint_jacobian()); },
          py::arg("q") = none, "G, (m, nv): the rows of loops and prescribed motions, G v = u.")
      .def("compliance", &compliance, py::arg("bodies"), py::arg("q") = none,
           "(6k, 6k): motion (velocity, angular velocity at the centre of mass) of k bodies per impulse on them, loops "
           "closed.")
      .def("centroidal", &centroidal, py::arg("q") = none, py::arg("v") = none,
           "A dict: mass, position (3,), velocity (3,), angular_momentum (3,), inertia (3, 3) of the whole about its "
           "centre of mass, and momentum_matrix (6, nv): linear and angular momentum by v.")
      .def(
          "integrate",
          [](Simulated& s, const py::object& q, const py::object& v, double h) {
            return s.at(py::none(), py::none())
                .integrate(numbers_of(q, s.sim().q().size(), "q"), numbers_of(v, s.sim().v().size(), "v"), h);
          },
          py::arg("q"), py::arg("v"), py::arg("h"), "q (nq,) moved along v (nv,) for h on its manifold, (nq,).")
      .def("accelerations_and_multipliers", &accelerations, py::arg("q") = none, py::arg("v") = none,
           "With everything that pushes, contacts included: (n, 6) accelerations and angular accelerations of the "
           "bodies, world axes, and (rows,) multipliers of all joints. At q, v with loops closed where they are given. "
           "The inertia of rotors (armature) is left out, as the lagrange method does.")
      .def("contacts", &contacts, py::arg("q") = none, py::arg("v") = none,
           "Of the last step; or, given q or v, at that state by the laws of contact themselves. A dict of arrays: "
           "bodies (k, 2), -1 the ground; position, normal, force, slip (k, 3); gap [m], normal_force [N] (k,); state, "
           "a list of 'stick', 'slip' and 'separating'.");
}

}  // namespace

void bind_dynamics(Type& type) {
  bind_equations(type);
  bind_loops_and_contacts(type);
  type.def("_equilibrium",
           [](Simulated& s, double tolerance, int iterations, double patience) {
             EquilibriumOptions options;
             options.tolerance = tolerance;
             options.iterations = iterations;
             options.patience = patience;
             return equilibrium(s, options);
           })
      .def("_linearise", &linear_model)
      .def("_lead", &lead)
      .def("modes", &modes_of,
           "The motions about the present positions at rest, slowest first: a dict of eigenvalue (m,) [1/s], frequency "
           "(m,) [Hz], damping (m,) ratios and shape (m, nv), complex, the largest entry of each 1.");
}

}  // namespace catena::python
