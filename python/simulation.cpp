// Simulations: arrays that show the state without copying it, steps without the interpreter's lock, the equations of motion as matrices.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "bindings.h"
#include "catena/dynamics.h"
#include "catena/mechanism/dynamics.h"
#include "catena/model/setting_names.h"
#include "catena/record/recording.h"
#include "catena/record/replay.h"
#include "catena/record/run_info.h"
#include "state.h"

namespace catena::python {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// What a step says, with the work by cause since t = 0.
struct Report {
  StepReport steps;
  Ledger ledger;
};

py::dict to_dict(const Ledger& l) {
  using namespace py::literals;
  return py::dict("motors"_a = l.motors, "actuators"_a = l.actuators, "external"_a = l.external,
                  "damping"_a = l.damping, "contacts"_a = l.contacts, "projection"_a = l.projection);
}

const char* name_of(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::diverged: return "diverged";
    case Status::singular: return "singular";
    case Status::too_long: return "too long";
    case Status::not_converged: break;
  }
  return "not converged";
}

// A simulation with the arrays that Python sees of it.
class Simulated {
 public:
  Simulated(const LoadedScene& scene, const py::kwargs& options)
      : sim(scene.model, scene.scene.initial, settings_with(scene.scene.settings, options)),
        hash(hash_of(*scene.model)) {
    const std::size_t n = sim.model().bodies.size();
    position.resize(3 * n);
    orientation.resize(4 * n);
    velocity.resize(3 * n);
    angular_velocity.resize(3 * n);
    show();
  }

  // Brings the arrays up to date.
  void show() {
    sim.sync();
    const std::vector<BodyState>& bodies = sim.state().bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const BodyState& s = bodies[i];
      std::copy_n(&s.position.x, 3, position.data() + 3 * i);
      std::copy_n(&s.orientation.w, 4, orientation.data() + 4 * i);
      std::copy_n(&s.velocity.x, 3, velocity.data() + 3 * i);
      std::copy_n(&s.angular_velocity.x, 3, angular_velocity.data() + 3 * i);
    }
  }

  void check_drives() {
    for (const std::span<const double> all : {std::span<const double>(sim.tau()), std::span<const double>(sim.ctrl())})
      for (std::size_t i = 0; i < all.size(); ++i)
        if (!std::isfinite(all[i]))
          throw InputError(fmt::format("tau or ctrl: number {} is {}, and not finite", i, all[i]));
  }

  // `go` until it says it is done; Ctrl-C is looked for twenty times a second.
  template <class Go>
  Report run(Go&& go) {
    check_drives();
    Report out;
    out.steps.time = sim.time();
    bool done = false;
    while (!done) {
      const py::gil_scoped_release release;
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
      while (!done && std::chrono::steady_clock::now() < until) {
        out.steps.merge(go(done));
        done = done || !out.steps.ok();
      }
      if (!done) {
        const py::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
          show();
          throw py::error_already_set();
        }
      }
    }
    show();
    out.ledger = sim.state().ledger;
    return out;
  }

  Report standing() const {
    Report out;
    out.steps.time = sim.time();
    out.ledger = sim.state().ledger;
    return out;
  }

  Report step(long count) {
    if (count < 0) throw InputError(fmt::format("step({}): a number of steps is due, 0 or more", count));
    if (count == 0) return standing();
    if (count == 1) {  // no time to be interrupted in
      check_drives();
      Report out;
      {
        const py::gil_scoped_release release;
        out.steps = sim.step();
      }
      show();
      out.ledger = sim.state().ledger;
      return out;
    }
    long left = count;
    return run([&](bool& done) {
      const StepReport report = sim.step();
      done = --left == 0;
      return report;
    });
  }

  Report advance_to(double time) {
    if (!std::isfinite(time)) throw InputError("advance_to: a finite time is due");
    if (time <= sim.time()) return standing();
    return run([&](bool& done) {
      const StepReport report = sim.step_towards(time);
      done = time - sim.time() <= sim.slack();
      return report;
    });
  }

  SavedState save() {
    const auto list = [](std::span<const double> s) { return std::vector<double>(s.begin(), s.end()); };
    return {hash, sim.state(), list(sim.tau()), list(sim.ctrl())};
  }
  void restore(const SavedState& saved) {
    if (saved.model != hash) throw InputError("this state is of another model");
    sim.set_state(saved.state);
    if (saved.tau.size() == sim.tau().size()) std::copy(saved.tau.begin(), saved.tau.end(), sim.tau().begin());
    if (saved.ctrl.size() == sim.ctrl().size()) std::copy(saved.ctrl.begin(), saved.ctrl.end(), sim.ctrl().begin());
    show();
  }

  // At other coordinates, or at the state itself.
  JointDynamics& at(const py::object& q, const py::object& v) {
    if (!dynamics) dynamics.emplace(sim);
    dynamics->update();
    if (q.is_none() && v.is_none()) return *dynamics;
    const std::vector<double> own_q(sim.q().begin(), sim.q().end()), own_v(sim.v().begin(), sim.v().end());
    dynamics->update(q.is_none() ? own_q : numbers_of(q, own_q.size(), "q"),
                     v.is_none() ? own_v : numbers_of(v, own_v.size(), "v"));
    return *dynamics;
  }

  BodyId body(const py::object& which) const {
    if (py::isinstance<py::str>(which)) return sim.body_id(which.cast<std::string>());
    if (!py::isinstance<py::int_>(which)) throw InputError("a body is named by a str or an index");
    const auto index = which.cast<long>();
    if (index < 0 || index >= static_cast<long>(sim.model().bodies.size()))
      throw InputError(fmt::format("there is no body {}; the model has {}", index, sim.model().bodies.size()));
    return BodyId(static_cast<int>(index));
  }
  JointId joint(const py::object& which) const {
    if (py::isinstance<py::str>(which)) return sim.joint_id(which.cast<std::string>());
    if (!py::isinstance<py::int_>(which)) throw InputError("a joint is named by a str or an index");
    const auto index = which.cast<long>();
    if (index < 0 || index >= static_cast<long>(sim.model().joints.size()))
      throw InputError(fmt::format("there is no joint {}; the model has {}", index, sim.model().joints.size()));
    return JointId(static_cast<int>(index));
  }

  Simulation sim;
  std::uint64_t hash;
  std::optional<JointDynamics> dynamics;
  std::vector<double> position, orientation, velocity, angular_velocity;
};

py::dict contacts_of(const Simulated& s) {
  using namespace py::literals;
  const std::vector<ContactForce>& all = s.sim.contact_forces();
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

py::dict centroidal_of(Simulated& s, const py::object& q, const py::object& v) {
  using namespace py::literals;
  const JointDynamics& d = s.at(q, v);
  const Centroidal c = d.centroidal();
  const auto to = [](const Vec3& x) { return Eigen::Vector3d(x.x, x.y, x.z); };
  RowMajor inertia(3, 3);
  inertia << c.inertia.xx, c.inertia.xy, c.inertia.xz, c.inertia.xy, c.inertia.yy, c.inertia.yz, c.inertia.xz,
      c.inertia.yz, c.inertia.zz;
  return py::dict("mass"_a = c.mass, "position"_a = to(c.position), "velocity"_a = to(c.velocity),
                  "angular_momentum"_a = to(c.momentum), "inertia"_a = inertia,
                  "momentum_matrix"_a = RowMajor(d.centroidal_momentum_matrix()));
}

py::tuple accelerations_of(const Simulated& s) {
  const Dynamics& d = s.sim.evaluate();
  RowMajor vdot(static_cast<Eigen::Index>(d.vdot.size()), 6);
  for (std::size_t i = 0; i < d.vdot.size(); ++i) {
    const BodyVector& a = d.vdot[i];
    vdot.row(static_cast<Eigen::Index>(i)) << a.linear.x, a.linear.y, a.linear.z, a.angular.x, a.angular.y, a.angular.z;
  }
  return py::make_tuple(vdot,
                        Eigen::Map<const Eigen::VectorXd>(d.lambda.data(), static_cast<Eigen::Index>(d.lambda.size())));
}

// Rows as row() gives them, to .h5 or .html.
void write_rows(const std::string& file, const Simulated& s, const Eigen::Ref<const RowMajor>& rows) {
  const std::vector<std::string> names = column_names(s.sim.model());
  if (static_cast<std::size_t>(rows.cols()) != names.size())
    throw InputError(fmt::format("{}: rows of {} numbers are due", file, names.size()));
  const RunInfo info = run_info(s.sim.model(), {}, {}, s.sim.settings(), names);
  const auto recording = file.ends_with(".html") ? open_replay(file, s.sim.model(), s.sim.settings(), names, info)
                                                 : open_recording(file, names, info);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::VectorXd row = rows.row(i);
    recording->write({row.data(), static_cast<std::size_t>(row.size())});
  }
  recording->finish();
}

// Handles keep the simulation alive.
struct JointOf {
  std::shared_ptr<Simulated> s;
  JointId id;
};
struct BodyOf {
  std::shared_ptr<Simulated> s;
  BodyId id;
};

void bind_report(py::module_& module) {
  py::class_<Report>(module, "StepReport", "What one or more steps said of themselves; of several the worst.")
      .def_property_readonly("ok", [](const Report& r) { return r.steps.ok(); })
      .def_property_readonly("status", [](const Report& r) { return name_of(r.steps.status); })
      .def_property_readonly("message", [](const Report& r) { return r.steps.message; })
      .def_property_readonly(
          "time", [](const Report& r) { return r.steps.time; }, "At the end [s].")
      .def_property_readonly("residual", [](const Report& r) { return r.steps.residual; })
      .def_property_readonly(
          "drift", [](const Report& r) { return r.steps.drift_position; }, "Of the joints [m].")
      .def_property_readonly(
          "drift_angle", [](const Report& r) { return r.steps.drift_angle; }, "[rad]")
      .def_property_readonly("complementarity", [](const Report& r) { return r.steps.complementarity; })
      .def_property_readonly(
          "penetration", [](const Report& r) { return r.steps.penetration; }, "[m]")
      .def_property_readonly("contacts", [](const Report& r) { return r.steps.contacts; })
      .def_property_readonly("impacts", [](const Report& r) { return r.steps.impacts; })
      .def_property_readonly(
          "halvings", [](const Report& r) { return r.steps.halvings; },
          "Times a step or a part of it was taken in two halves.")
      .def_property_readonly(
          "swept", [](const Report& r) { return r.steps.swept; },
          "Times the contacts were swept rather than solved exactly.")
      .def_property_readonly(
          "fallbacks", [](const Report& r) { return r.steps.fallbacks; }, "Solvers that were tried in vain.")
      .def_property_readonly(
          "energy", [](const Report& r) { return to_dict(r.ledger); }, "Work by cause since t = 0 [J].")
      .def("__bool__", [](const Report& r) { return r.steps.ok(); })
      .def("__repr__", [](const Report& r) {
        return fmt::format("<catena.StepReport {} at t = {:.6g} s: residual {:.1e}, drift {:.1e} m{}>",
                           name_of(r.steps.status), r.steps.time, r.steps.residual, r.steps.drift_position,
                           r.steps.message.empty() ? "" : ": " + r.steps.message);
      });
}

void bind_handles(py::module_& module) {
  using Ptr = std::shared_ptr<Simulated>;
  const auto span = [](const JointOf& j, std::span<const double> x, bool writable) {
    return view(x.data(), {static_cast<py::ssize_t>(x.size())}, py::cast(j.s), writable);
  };
  py::class_<JointOf>(module, "JointHandle", "A joint of a simulation.")
      .def_property_readonly("name", [](const JointOf& j) { return j.s->sim.model().joints[j.id].name; })
      .def_property_readonly(
          "q", [=](const JointOf& j) { return span(j, j.s->sim.joint(j.id).q(), false); },
          "Its coordinates [m, rad], a view.")
      .def_property_readonly("v", [=](const JointOf& j) { return span(j, j.s->sim.joint(j.id).v(), false); })
      .def_property(
          "tau", [=](const JointOf& j) { return span(j, j.s->sim.joint(j.id).tau(), true); },
          [](const JointOf& j, const py::object& x) {
            const std::span<double> tau = j.s->sim.joint(j.id).tau();
            const bool number = py::isinstance<py::float_>(x) || py::isinstance<py::int_>(x);
            const std::vector<double> given =
                number && tau.size() == 1 ? numbers_of(py::make_tuple(x), 1, "tau") : numbers_of(x, tau.size(), "tau");
            std::copy(given.begin(), given.end(), tau.begin());
          },
          "Force along each rate [N, N m], until changed.")
      .def_property_readonly(
          "reaction",
          [](const JointOf& j) {
            const Spatial r = j.s->sim.joint(j.id).reaction();
            Eigen::VectorXd out(6);
            out << r.linear.x, r.linear.y, r.linear.z, r.angular.x, r.angular.y, r.angular.z;
            return out;
          },
          "Force and torque on the second body at its anchor, world axes, (6,).")
      .def("__repr__",
           [](const JointOf& j) { return fmt::format("<catena joint '{}'>", j.s->sim.model().joints[j.id].name); });
  const auto row = [](const BodyOf& b, const std::vector<double>& of, std::size_t width) {
    return view(of.data() + width * b.id, {static_cast<py::ssize_t>(width)}, py::cast(b.s), false);
  };
  py::class_<BodyOf>(module, "BodyHandle", "A body of a simulation.")
      .def_property_readonly("name", [](const BodyOf& b) { return b.s->sim.model().bodies[b.id].name; })
      .def_property_readonly("position", [=](const BodyOf& b) { return row(b, b.s->position, 3); })
      .def_property_readonly("orientation", [=](const BodyOf& b) { return row(b, b.s->orientation, 4); })
      .def_property_readonly("velocity", [=](const BodyOf& b) { return row(b, b.s->velocity, 3); })
      .def_property_readonly("angular_velocity", [=](const BodyOf& b) { return row(b, b.s->angular_velocity, 3); })
      .def(
          "set_force",
          [](const BodyOf& b, const py::object& force, const py::object& torque) {
            b.s->sim.set_force(b.id, vector_of(force, "force"), vector_of(torque, "torque"));
          },
          py::arg("force"), py::arg("torque") = py::make_tuple(0, 0, 0),
          "At the centre of mass, world axes, until set again.")
      .def(
          "add_force_at",
          [](const BodyOf& b, const py::object& force, const py::object& point) {
            b.s->sim.add_force_at(b.id, vector_of(force, "force"), vector_of(point, "point"));
          },
          py::arg("force"), py::arg("point"),
          "On a point (body coordinates from the centre of mass), until clear_forces().")
      .def("__repr__",
           [](const BodyOf& b) { return fmt::format("<catena body '{}'>", b.s->sim.model().bodies[b.id].name); });
  struct Bodies {
    Ptr s;
  };
  const auto table = [](const Bodies& b, const std::vector<double>& of, py::ssize_t width) {
    return view(of.data(), {static_cast<py::ssize_t>(b.s->sim.model().bodies.size()), width}, py::cast(b.s), false);
  };
  py::class_<Bodies>(module, "Bodies", "All bodies as arrays, in the model's order; views that steps bring up to date.")
      .def(py::init([](const Ptr& s) { return Bodies{s}; }))
      .def_property_readonly(
          "position", [=](const Bodies& b) { return table(b, b.s->position, 3); }, "(n, 3) [m]")
      .def_property_readonly(
          "orientation", [=](const Bodies& b) { return table(b, b.s->orientation, 4); }, "(n, 4) w x y z")
      .def_property_readonly(
          "velocity", [=](const Bodies& b) { return table(b, b.s->velocity, 3); }, "(n, 3) [m/s]")
      .def_property_readonly(
          "angular_velocity", [=](const Bodies& b) { return table(b, b.s->angular_velocity, 3); },
          "(n, 3) [rad/s], world axes")
      .def("__len__", [](const Bodies& b) { return b.s->sim.model().bodies.size(); });
}

void bind_dynamics(py::class_<Simulated, std::shared_ptr<Simulated>>& type) {
  const py::object none = py::none();
  type.def(
          "mass_matrix", [](Simulated& s, const py::object& q) { return RowMajor(s.at(q, py::none()).mass_matrix()); },
          py::arg("q") = none, "M(q), (nv, nv).")
      .def(
          "bias", [](Simulated& s, const py::object& q, const py::object& v) { return s.at(q, v).bias(); },
          py::arg("q") = none, py::arg("v") = none, "Coriolis, centrifugal and gravity forces, (nv,).")
      .def(
          "passive_forces", [](Simulated& s) { return s.at(py::none(), py::none()).passive_forces(); },
          "Of springs, dampers, loads, actuators and tau, (nv,).")
      .def(
          "inverse_dynamics",
          [](Simulated& s, const py::object& vdot, const py::object& q, const py::object& v) {
            const std::vector<double> a = numbers_of(vdot, s.sim.v().size(), "vdot");
            return s.at(q, v).inverse_dynamics(a);
          },
          py::arg("vdot"), py::arg("q") = none, py::arg("v") = none, "M vdot + bias, (nv,).")
      .def(
          "forward_dynamics",
          [](Simulated& s, const py::object& tau, const py::object& q, const py::object& v) {
            const std::vector<double> t = numbers_of(tau, s.sim.v().size(), "tau");
            return s.at(q, v).forward_dynamics(t);
          },
          py::arg("tau"), py::arg("q") = none, py::arg("v") = none,
          "vdot (nv,) under joint forces tau and gravity, loops closed; add passive_forces() for those of the model.")
      .def(
          "jacobian",
          [](Simulated& s, const py::object& body, const py::object& point, const py::object& q) {
            const BodyId id = s.body(body);
            const Vec3 at = vector_of(point, "point");
            return RowMajor(s.at(q, py::none()).jacobian(id, at));
          },
          py::arg("body"), py::arg("point") = py::make_tuple(0, 0, 0), py::arg("q") = none,
          "(6, nv): velocity and angular velocity of a point (body coordinates from the centre of mass) by v.")
      .def(
          "constraint_jacobian",
          [](Simulated& s, const py::object& q) { return RowMajor(s.at(q, py::none()).constraint_jacobian()); },
          py::arg("q") = none, "Rows of loops and prescribed motions, (m, nv).")
      .def(
          "compliance",
          [](Simulated& s, const std::vector<py::object>& bodies) {
            std::vector<BodyId> ids;
            for (const py::object& body : bodies) ids.push_back(s.body(body));
            return RowMajor(s.at(py::none(), py::none()).compliance(ids));
          },
          py::arg("bodies"), "(6k, 6k): motion of the bodies per impulse on them, loops closed.")
      .def("centroidal", &centroidal_of, py::arg("q") = none, py::arg("v") = none)
      .def(
          "integrate",
          [](Simulated& s, const py::object& q, const py::object& v, double h) {
            return s.at(py::none(), py::none())
                .integrate(numbers_of(q, s.sim.q().size(), "q"), numbers_of(v, s.sim.v().size(), "v"), h);
          },
          py::arg("q"), py::arg("v"), py::arg("h"), "q moved along v for h on its manifold, (nq,).")
      .def(
          "accelerations_and_multipliers", [](const Simulated& s) { return accelerations_of(s); },
          "At the present state, with everything that pushes: ((n, 6) accelerations of the bodies, (rows,) "
          "multipliers).");
}

}  // namespace

void bind_simulation(py::module_& module) {
  using Ptr = std::shared_ptr<Simulated>;
  bind_report(module);
  bind_handles(module);
  py::class_<Simulated, Ptr> type(
      module, "Simulation", py::dynamic_attr(),
      "Simulation(scene, **settings): settings in the words of scene files, such as step=1e-3.");
  type.def(py::init<const LoadedScene&, const py::kwargs&>(), py::arg("scene"))
      .def("step", &Simulated::step, py::arg("n") = 1, "n whole steps; stops at the first that fails. Without the GIL.")
      .def("advance_to", &Simulated::advance_to, py::arg("time"), "To exactly that time [s].")
      .def(
          "on_step",
          [](Simulated& s, const py::object& control) {
            if (control.is_none()) return s.sim.on_step({});
            if (!PyCallable_Check(control.ptr()))
              throw InputError("on_step: a function of no arguments, or None, is due");
            s.sim.on_step([&s, f = std::make_shared<py::object>(control)](Simulation&) {
              const py::gil_scoped_acquire acquire;
              s.show();
              (*f)();
              s.check_drives();
            });
          },
          py::arg("function"), "Called before every step; it may set tau and ctrl.")
      .def_property_readonly(
          "time", [](const Simulated& s) { return s.sim.time(); }, "[s]")
      .def_property_readonly("steps", [](const Simulated& s) { return s.sim.steps(); })
      .def_property_readonly("nq", [](const Simulated& s) { return s.sim.layout().n_q(); })
      .def_property_readonly("nv", [](const Simulated& s) { return s.sim.layout().n_v(); })
      .def_property_readonly("nu", [](Simulated& s) { return s.sim.ctrl().size(); })
      .def_property_readonly("model",
                             [](const Simulated& s) { return std::const_pointer_cast<Model>(s.sim.shared_model()); })
      .def_property_readonly("settings", [](const Simulated& s) { return to_dict(s.sim.settings()); })
      .def_property_readonly(
          "integrator", [](const Simulated& s) { return std::string(word_of(kIntegratorNames, s.sim.integrator())); })
      .def_property_readonly("warnings", [](const Simulated& s) { return s.sim.warnings(); })
      .def_property_readonly(
          "size", [](const Simulated& s) { return s.sim.size(); }, "Of the mechanism [m].")
      .def(
          "joint",
          [](const Ptr& s, const py::object& which) {
            return JointOf{s, s->joint(which)};
          },
          py::arg("name"))
      .def(
          "body",
          [](const Ptr& s, const py::object& which) {
            return BodyOf{s, s->body(which)};
          },
          py::arg("name"))
      .def(
          "coordinates_of",
          [](const Simulated& s, const py::object& joint) {
            const Layout::Slot& slot = s.sim.layout().of(s.joint(joint));
            return py::make_tuple(py::slice(slot.q, slot.q + slot.n_q, 1), py::slice(slot.v, slot.v + slot.n_v, 1));
          },
          py::arg("joint"), "Slices of q and v.")
      .def(
          "set_coordinates",
          [](Simulated& s, const py::object& q, const py::object& v) {
            const std::vector<double> zero(s.sim.v().size());
            s.sim.set_coordinates(numbers_of(q, s.sim.q().size(), "q"),
                                  v.is_none() ? zero : numbers_of(v, zero.size(), "v"));
            s.show();
          },
          py::arg("q"), py::arg("v") = py::none(), "Puts the mechanism there and closes its loops.")
      .def(
          "drag",
          [](Simulated& s, const py::object& body, const py::object& point, const py::object& target) {
            const auto vector = [](const py::object& v, const char* what) {
              const std::vector<double> x = numbers_of(v, 3, what);
              return Vec3{x[0], x[1], x[2]};
            };
            const DragReport report = s.sim.drag(s.body(body), vector(point, "point"), vector(target, "target"));
            s.show();
            return report.distance;
          },
          py::arg("body"), py::arg("point"), py::arg("target"),
          "Leads a point of a body (body coordinates from the centre of mass) to a target in the world, at rest, as "
          "far as joints, limits "
          "and contacts allow. Returns the distance left [m].")
      .def("clear_forces", [](Simulated& s) { s.sim.clear_forces(); })
      .def_property("state", &Simulated::save, &Simulated::restore, "A copy of everything that decides the next bit.")
      .def(
          "energy",
          [](const Simulated& s) {
            using namespace py::literals;
            const Energy e = s.sim.energy();
            py::dict out = to_dict(e.ledger);
            out["kinetic"] = e.kinetic;
            out["potential"] = e.potential;
            return out;
          },
          "Kinetic and potential energy and work by cause since t = 0 [J].")
      .def(
          "drift",
          [](const Simulated& s) {
            const Drift d = s.sim.drift();
            return py::make_tuple(d.position, d.angle);
          },
          "Of the joints now, ([m], [rad]).")
      .def(
          "contacts", [](const Simulated& s) { return contacts_of(s); }, "Of the last step: a dict of arrays.")
      .def(
          "row",
          [](Simulated& s) {
            Eigen::VectorXd out(static_cast<Eigen::Index>(column_names(s.sim.model()).size()));
            sample(s.sim, {out.data(), static_cast<std::size_t>(out.size())});
            return out;
          },
          "The numbers a recording holds.")
      .def(
          "columns", [](const Simulated& s) { return column_names(s.sim.model()); }, "Their names.")
      .def("__repr__", [](const Simulated& s) {
        return fmt::format("<catena.Simulation '{}' at t = {:.6g} s: {} bodies, {} joints, nq {}, nv {}, method {}>",
                           s.sim.model().name, s.sim.time(), s.sim.model().bodies.size(), s.sim.model().joints.size(),
                           s.sim.layout().n_q(), s.sim.layout().n_v(), word_of(kMethodNames, s.sim.settings().method));
      });
  const auto array = [](const Ptr& s, std::span<const double> x, bool writable) {
    return view(x.data(), {static_cast<py::ssize_t>(x.size())}, py::cast(s), writable);
  };
  const auto fill = [](std::span<double> to, const py::object& x, const char* what) {
    const std::vector<double> given = numbers_of(x, to.size(), what);
    std::copy(given.begin(), given.end(), to.begin());
  };
  type.def_property_readonly(
          "q", [=](const Ptr& s) { return array(s, s->sim.q(), false); }, "Coordinates, (nq,); a view.")
      .def_property_readonly(
          "v", [=](const Ptr& s) { return array(s, s->sim.v(), false); }, "Rates, (nv,); a view.")
      .def_property(
          "tau", [=](const Ptr& s) { return array(s, s->sim.tau(), true); },
          [=](Simulated& s, const py::object& x) { fill(s.sim.tau(), x, "tau"); },
          "Forces along the rates, (nv,); a view to write to.")
      .def_property(
          "ctrl", [=](const Ptr& s) { return array(s, s->sim.ctrl(), true); },
          [=](Simulated& s, const py::object& x) { fill(s.sim.ctrl(), x, "ctrl"); },
          "Inputs of a robot's actuators, or added to the set-points of a scene's, (nu,); a view to write to.")
      .def(
          "sensor",
          [](const Simulated& s, const std::string& name) {
            const std::span<const double> x = s.sim.sensor(name);
            return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
          },
          py::arg("name"), "What a sensor of the model reads now; a copy.")
      .def_property_readonly("bodies",
                             [](const Ptr& s) { return py::module_::import("catena._catena").attr("Bodies")(s); });
  bind_dynamics(type);
  module.def("write_recording", &write_rows, py::arg("file"), py::arg("simulation"), py::arg("rows"));
}

}  // namespace catena::python
