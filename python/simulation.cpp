// Simulations: arrays that show the state without copying it, steps without the interpreter's lock.
#include <fmt/format.h>

#include "catena/model/setting_names.h"
#include "simulated.h"

namespace catena::python {
namespace {

using Type = py::class_<Simulated, SimPtr>;

py::array array(const SimPtr& s, std::span<const double> x, bool writable) {
  return view(x.data(), {static_cast<py::ssize_t>(x.size())}, py::cast(s), writable);
}

void fill(std::span<double> to, const py::object& x, const char* what) {
  const std::vector<double> given = numbers_of(x, to.size(), what);
  std::copy(given.begin(), given.end(), to.begin());
}

void bind_time(Type& type) {
  bind_step(type);
  type.def(
          "advance_to", [](Simulated& s, double time) { return to_python(s.advance_to(time)); }, py::arg("time"),
          "To exactly that time [s]. Returns a StepReport.")
      .def("on_step", &Simulated::on_step, py::arg("function"),
           "A function of no arguments that is called before every step and may set tau, ctrl and forces; None: no "
           "function.")
      .def_property_readonly(
          "time", [](const Simulated& s) { return s.sim().time(); }, "[s]")
      .def_property_readonly(
          "steps", [](const Simulated& s) { return s.sim().steps(); }, "Taken so far.");
}

void bind_identity(Type& type) {
  type.def_property_readonly(
          "nq", [](const Simulated& s) { return s.sim().layout().n_q(); }, "Number of coordinates.")
      .def_property_readonly(
          "nv", [](const Simulated& s) { return s.sim().layout().n_v(); }, "Number of rates.")
      .def_property_readonly(
          "nu", [](const Simulated& s) { return s.sim().ctrl().size(); }, "Number of inputs.")
      .def_property_readonly(
          "rate_names", [](const Simulated& s) { return rate_names(s.sim()); },
          "Of v and tau: BODY.x … BODY.rz of floating bodies, JOINT or JOINT[k], freedoms of compound joints by "
          "theirs.")
      .def_property_readonly("scene", &Simulated::scene)
      .def_property_readonly("model", [](const Simulated& s) { return model_of(s.scene()); })
      .def_property_readonly(
          "settings", [](const Simulated& s) { return to_python(s.sim().settings()); },
          "As run: what 'auto' stood for is filled in.")
      .def_property_readonly(
          "integrator", [](const Simulated& s) { return std::string(word_of(kIntegratorNames, s.sim().integrator())); })
      .def_property_readonly("warnings", [](const Simulated& s) { return s.sim().warnings(); })
      .def_property_readonly(
          "size", [](const Simulated& s) { return s.sim().size(); }, "Of the mechanism [m].")
      .def("__repr__", [](const Simulated& s) {
        const Simulation& sim = s.sim();
        return fmt::format("<catena.Simulation '{}' at t = {:.6g} s: {} bodies, {} joints, nq {}, nv {}, method {}>",
                           sim.model().name, sim.time(), sim.model().bodies.size(), sim.model().joints.size(),
                           sim.layout().n_q(), sim.layout().n_v(), word_of(kMethodNames, sim.settings().method));
      });
}

void bind_arrays(Type& type) {
  type.def_property_readonly(
          "q", [](const SimPtr& s) { return array(s, s->q(), false); },
          "Coordinates, (nq,) [m, rad, quaternions w x y z]; a view.")
      .def_property_readonly(
          "v", [](const SimPtr& s) { return array(s, s->v(), false); }, "Rates, (nv,) [m/s, rad/s]; a view.")
      .def_property(
          "tau", [](const SimPtr& s) { return array(s, s->tau(), true); },
          [](Simulated& s, const py::object& x) { fill(s.tau(), x, "tau"); },
          "Forces along the rates, (nv,) [N, N m]; a view to write to.")
      .def_property(
          "ctrl", [](const SimPtr& s) { return array(s, s->ctrl(), true); },
          [](Simulated& s, const py::object& x) { fill(s.ctrl(), x, "ctrl"); },
          "Inputs of a robot's actuators, or added to the set-points of a scene's, (nu,); a view to write to.")
      .def_property_readonly(
          "bodies", [](const py::object& self) { return py::type::of<Simulated>().attr("_Bodies")(self); },
          "All bodies as arrays.")
      .def(
          "joint",
          [](const SimPtr& s, const py::object& which) {
            return JointOf{s, s->joint(which)};
          },
          py::arg("name"), "A joint by name or index: .q, .v, .tau, .reaction.")
      .def(
          "body",
          [](const SimPtr& s, const py::object& which) {
            return BodyOf{s, s->body(which)};
          },
          py::arg("name"),
          "A body by name or index: .position, .orientation, .velocity, .angular_velocity, .set_force(), .set_mocap(), "
          ".add_force_at().")
      .def(
          "site",
          [](const SimPtr& s, const py::object& which) {
            return SiteOf{s, static_cast<std::size_t>(&s->site(which) - s->model().sites.data())};
          },
          py::arg("name"), "A site by name or index: .position, .orientation, .velocity, .body.")
      .def(
          "sensor",
          [](const Simulated& s, const std::string& name) {
            const std::span<const double> x = s.sim().sensor(name);
            return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
          },
          py::arg("name"), "What a sensor of the model reads now; a copy.")
      .def(
          "coordinates_of",
          [](const Simulated& s, const py::object& joint) {
            const Layout::Slot& slot = s.sim().layout().of(s.joint(joint));
            return py::make_tuple(py::slice(slot.q, slot.q + slot.n_q, 1), py::slice(slot.v, slot.v + slot.n_v, 1));
          },
          py::arg("joint"), "Slices of q and v.");
}

void bind_states(Type& type) {
  type.def(
          "set_coordinates",
          [](Simulated& s, const py::object& q, const py::object& v) {
            Simulation& sim = s.sim();
            const std::vector<double> zero(sim.v().size());
            sim.set_coordinates(numbers_of(q, sim.q().size(), "q"),
                                v.is_none() ? zero : numbers_of(v, zero.size(), "v"));
            s.show();
          },
          py::arg("q"), py::arg("v") = py::none(),
          "Puts the mechanism at q (nq,) with rates v (nv,), at rest where none are given, and closes its loops.")
      .def(
          "drag",
          [](Simulated& s, const py::object& which, const py::object& point, const py::object& target) {
            const Where at = s.where(which, point);
            if (!at.body.valid()) throw InputError("drag: a site of the ground cannot be moved");
            const DragReport report = s.sim().drag(at.body, at.point, vector_of(target, "target"));
            s.show();
            return report.distance;
          },
          py::arg("body"), py::arg("point"), py::arg("target"),
          "Leads a point of a body (body coordinates from the centre of mass) or site to a target in the world, at "
          "rest, as far as joints, limits and contacts allow. Returns the distance left [m].")
      .def(
          "clear_forces", [](Simulated& s) { s.sim().clear_forces(); }, "tau, set_force() and add_force_at() to zero.")
      .def_property("state", &Simulated::save, &Simulated::restore,
                    "A copy of everything that decides the next bit; set it to go on from there.")
      .def(
          "save",
          [](Simulated& s, const py::object& file) { write_checkpoint(py::str(file).cast<std::string>(), s.save()); },
          py::arg("file"), "Writes the state to a checkpoint file.")
      .def(
          "load",
          [](Simulated& s, const py::object& file) { s.restore(read_checkpoint(py::str(file).cast<std::string>())); },
          py::arg("file"), "Goes on from a checkpoint file of the same model.");
}

void bind_measures(Type& type) {
  type.def(
          "energy",
          [](const Simulated& s) {
            const Energy e = s.sim().energy();
            py::dict out = to_dict(e.ledger);
            out["kinetic"] = e.kinetic;
            out["potential"] = e.potential;
            return out;
          },
          "Kinetic and potential energy and work by cause since t = 0 [J].")
      .def(
          "drift",
          [](const Simulated& s) {
            const Drift d = s.sim().drift();
            return py::make_tuple(d.position, d.angle);
          },
          "Of the joints now, ([m], [rad]).")
      .def(
          "row",
          [](Simulated& s) {
            Eigen::VectorXd out(s.columns());
            sample(s.sim(), {out.data(), static_cast<std::size_t>(out.size())});
            return out;
          },
          "The numbers a recording holds.")
      .def(
          "columns", [](const Simulated& s) { return column_names(s.model()); }, "Their names.");
}

}  // namespace

void bind_simulation(py::module_& module) {
  bind_report(module);
  bind_handles(module);
  Type type(module, "Simulation", py::dynamic_attr(),
            "Simulation(scene, settings=None, **settings): settings in the words of scene files, such as step=1e-3.");
  type.def(py::init([](const ScenePtr& scene, const py::kwargs& options) {
             if (!scene) throw InputError("Simulation: a scene is expected");
             return std::make_shared<Simulated>(scene, options);
           }),
           py::arg("scene"));
  type.attr("_Bodies") = module.attr("Bodies");
  bind_time(type);
  bind_identity(type);
  bind_arrays(type);
  bind_states(type);
  bind_measures(type);
  bind_dynamics(type);
}

}  // namespace catena::python
