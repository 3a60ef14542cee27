// Joints, bodies and sites of a simulation, by name.
#include <fmt/format.h>

#include "simulated.h"

namespace catena::python {
namespace {

py::array span(const JointOf& j, std::span<const double> x, bool writable) {
  return view(x.data(), {static_cast<py::ssize_t>(x.size())}, py::cast(j.s), writable);
}

std::span<const double> read(const JointOf& j, bool rates) {
  j.s->q();  // from now on steps bring it up to date
  return rates ? j.s->sim().joint(j.id).v() : j.s->sim().joint(j.id).q();
}

std::span<double> tau_of(const JointOf& j) {
  j.s->tau();  // from now on it is checked
  return j.s->sim().joint(j.id).tau();
}

void set_tau(const JointOf& j, const py::object& x) {
  const std::span<double> tau = tau_of(j);
  const bool number = py::isinstance<py::float_>(x) || py::isinstance<py::int_>(x);
  const std::vector<double> given =
      number && tau.size() == 1 ? numbers_of(py::make_tuple(x), 1, "tau") : numbers_of(x, tau.size(), "tau");
  std::copy(given.begin(), given.end(), tau.begin());
}

py::tuple bodies_of(const JointOf& j) {
  const Model& m = j.s->model();
  const auto name = [&](BodyId body) { return body.valid() ? m.bodies[body].name : std::string("ground"); };
  return py::make_tuple(name(m.joints[j.id].a), name(m.joints[j.id].b));
}

RowMajor anchors_of(const JointOf& j) {
  const Joint& joint = j.s->model().joints[j.id];
  RowMajor out(2, 3);
  out.row(0) = to_array(joint.anchor_a).transpose();
  out.row(1) = to_array(joint.anchor_b).transpose();
  return out;
}

RowMajor frames_of(const JointOf& j) {
  const Joint& joint = j.s->model().joints[j.id];
  RowMajor out(2, 4);
  out << joint.frame_a.w, joint.frame_a.x, joint.frame_a.y, joint.frame_a.z, joint.frame_b.w, joint.frame_b.x,
      joint.frame_b.y, joint.frame_b.z;
  return out;
}

void bind_joint(py::module_& module) {
  py::class_<JointOf>(module, "JointHandle", "A joint of a simulation, which it keeps alive.")
      .def_property_readonly("name", [](const JointOf& j) { return j.s->model().joints[j.id].name; })
      .def_property_readonly(
          "kind", [](const JointOf& j) { return std::string(name_of(j.s->model().joints[j.id].kind)); },
          "'hinge', 'ball', …")
      .def_property_readonly("bodies", &bodies_of, "Names of the first and the second body; 'ground' for the ground.")
      .def_property_readonly("anchors", &anchors_of,
                             "(2, 3) [m]: in either body, from its centre of mass; world for the ground.")
      .def_property_readonly(
          "frames", &frames_of,
          "(2, 4), w x y z: the axes of the joint in either body, which coincide at its start; the last is its axis.")
      .def_property_readonly(
          "q", [](const JointOf& j) { return span(j, read(j, false), false); }, "Its coordinates [m, rad], a view.")
      .def_property_readonly(
          "v", [](const JointOf& j) { return span(j, read(j, true), false); }, "Its rates [m/s, rad/s], a view.")
      .def_property(
          "tau", [](const JointOf& j) { return span(j, tau_of(j), true); }, &set_tau,
          "Force along each rate [N, N m], until changed; a view to write to.")
      .def_property_readonly(
          "reaction",
          [](const JointOf& j) {
            const Spatial r = j.s->sim().joint(j.id).reaction();
            Eigen::VectorXd out(6);
            out << r.linear.x, r.linear.y, r.linear.z, r.angular.x, r.angular.y, r.angular.z;
            return out;
          },
          "Force [N] and torque [N m] on the second body at its anchor, world axes, (6,).")
      .def("__repr__",
           [](const JointOf& j) { return fmt::format("<catena joint '{}'>", j.s->model().joints[j.id].name); });
}

template <class Pick>
py::array row(const BodyOf& b, std::size_t width, Pick&& pick) {
  return view(pick(b.s->bodies()).data() + width * b.id, {static_cast<py::ssize_t>(width)}, py::cast(b.s), false);
}

void bind_body(py::module_& module) {
  using All = Simulated::Bodies;
  py::class_<BodyOf>(module, "BodyHandle", "A body of a simulation, which it keeps alive; arrays are views.")
      .def_property_readonly("name", [](const BodyOf& b) { return b.s->model().bodies[b.id].name; })
      .def_property_readonly(
          "mass", [](const BodyOf& b) { return b.s->model().bodies[b.id].mass; }, "[kg]")
      .def_property_readonly(
          "position",
          [](const BodyOf& b) {
            return row(
                b, 3, [](const All& a) -> auto& { return a.position; });
          },
          "Of the centre of mass, (3,) [m].")
      .def_property_readonly(
          "orientation",
          [](const BodyOf& b) {
            return row(
                b, 4, [](const All& a) -> auto& { return a.orientation; });
          },
          "(4,), w x y z: body to world.")
      .def_property_readonly(
          "velocity",
          [](const BodyOf& b) {
            return row(
                b, 3, [](const All& a) -> auto& { return a.velocity; });
          },
          "(3,) [m/s].")
      .def_property_readonly(
          "angular_velocity",
          [](const BodyOf& b) {
            return row(
                b, 3, [](const All& a) -> auto& { return a.angular_velocity; });
          },
          "(3,) [rad/s], world axes.")
      .def(
          "set_force",
          [](const BodyOf& b, const py::object& force, const py::object& torque) {
            b.s->sim().set_force(b.id, vector_of(force, "force"), vector_of(torque, "torque"));
          },
          py::arg("force"), py::arg("torque") = py::make_tuple(0, 0, 0),
          "Force (3,) [N] and torque (3,) [N m] at the centre of mass, world axes, until set again.")
      .def(
          "add_force_at",
          [](const BodyOf& b, const py::object& force, const py::object& point) {
            b.s->sim().add_force_at(b.id, vector_of(force, "force"), vector_of(point, "point"));
          },
          py::arg("force"), py::arg("point"),
          "Force (3,) [N], world axes, on a point (body coordinates from the centre of mass), until clear_forces().")
      .def(
          "set_mocap",
          [](const BodyOf& b, const py::object& position, const py::object& orientation, double over) {
            const std::vector<double> q = numbers_of(orientation, 4, "orientation");
            b.s->sim().set_mocap(b.id, vector_of(position, "position"), {q[0], q[1], q[2], q[3]}, over);
          },
          py::arg("position"), py::arg("orientation") = py::make_tuple(1, 0, 0, 0), py::arg("over") = 0.0,
          "Leads a body by hand (moves: guided; in MJCF mocap): its frame goes to position (3,) and orientation (4,), "
          "w first, at constant velocity within `over` seconds, 0: within one step.")
      .def("__repr__",
           [](const BodyOf& b) { return fmt::format("<catena body '{}'>", b.s->model().bodies[b.id].name); });
}

void bind_site(py::module_& module) {
  const auto site = [](const SiteOf& s) -> const Site& { return s.s->model().sites[s.id]; };
  const auto state = [=](const SiteOf& s) {
    return site(s).body.valid() ? s.s->sim().body(site(s).body) : BodyState{};
  };
  py::class_<SiteOf>(module, "SiteHandle", "A site of a simulation: a frame fixed in a body.")
      .def_property_readonly("name", [=](const SiteOf& s) { return site(s).name; })
      .def_property_readonly(
          "body",
          [=](const SiteOf& s) {
            return site(s).body.valid() ? s.s->model().bodies[site(s).body].name : std::string("ground");
          },
          "The name of its body.")
      .def_property_readonly(
          "position",
          [=](const SiteOf& s) {
            const BodyState b = state(s);
            return to_array(b.position + rotate(b.orientation, site(s).position));
          },
          "(3,) [m], world.")
      .def_property_readonly(
          "orientation",
          [=](const SiteOf& s) {
            const Quat q = state(s).orientation * site(s).orientation;
            return Eigen::Vector4d(q.w, q.x, q.y, q.z);
          },
          "(4,), w x y z: site to world.")
      .def_property_readonly(
          "velocity",
          [=](const SiteOf& s) {
            const BodyState b = state(s);
            return to_array(b.velocity + cross(b.angular_velocity, rotate(b.orientation, site(s).position)));
          },
          "(3,) [m/s], world axes.")
      .def("__repr__", [=](const SiteOf& s) { return fmt::format("<catena site '{}'>", site(s).name); });
}

struct AllBodies {
  SimPtr s;
};

void bind_bodies(py::module_& module) {
  const auto table = [](const AllBodies& b, const std::vector<double>& of, py::ssize_t width) {
    return view(of.data(), {static_cast<py::ssize_t>(b.s->model().bodies.size()), width}, py::cast(b.s), false);
  };
  py::class_<AllBodies>(module, "Bodies",
                        "All bodies as arrays, in the model's order; views that steps bring up to date.")
      .def(py::init([](const SimPtr& s) { return AllBodies{s}; }))
      .def_property_readonly(
          "position", [=](const AllBodies& b) { return table(b, b.s->bodies().position, 3); },
          "Of the centres of mass, (n, 3) [m]")
      .def_property_readonly(
          "orientation", [=](const AllBodies& b) { return table(b, b.s->bodies().orientation, 4); }, "(n, 4) w x y z")
      .def_property_readonly(
          "velocity", [=](const AllBodies& b) { return table(b, b.s->bodies().velocity, 3); }, "(n, 3) [m/s]")
      .def_property_readonly(
          "angular_velocity", [=](const AllBodies& b) { return table(b, b.s->bodies().angular_velocity, 3); },
          "(n, 3) [rad/s], world axes")
      .def_property_readonly(
          "names",
          [](const AllBodies& b) {
            std::vector<std::string> out;
            for (const Body& each : b.s->model().bodies) out.push_back(each.name);
            return out;
          },
          "In the order of the rows.")
      .def("__len__", [](const AllBodies& b) { return b.s->model().bodies.size(); });
}

}  // namespace

void bind_handles(py::module_& module) {
  bind_joint(module);
  bind_body(module);
  bind_site(module);
  bind_bodies(module);
}

}  // namespace catena::python
