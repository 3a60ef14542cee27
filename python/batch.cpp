// Many worlds of one model: arrays with a row a world, which show the batch without copying it; steps without the interpreter's lock.
#include "catena/batch.h"

#include <fmt/format.h>

#include "catena/model/setting_names.h"
#include "simulated.h"

namespace catena::python {
namespace {

static_assert(sizeof(Status) == sizeof(int));

// A batch with what Python asks of it.
class Batched {
 public:
  Batched(const LoadedScene& scene, std::size_t worlds, int threads, const py::kwargs& options)
      : batch(scene.model, scene.scene.initial, settings_with(scene.scene.settings, options), worlds, threads),
        hash(scene.hash),
        all_v(static_cast<std::size_t>(Layout(*scene.model).all_v())) {}

  py::ssize_t n() const { return static_cast<py::ssize_t>(batch.size()); }

  // A mask from bools, or none: all worlds.
  std::vector<unsigned char> mask_of(const py::object& given) const {
    if (given.is_none()) return {};
    const auto mask = py::array_t<bool, py::array::c_style | py::array::forcecast>::ensure(given);
    if (!mask || mask.ndim() != 1 || mask.size() != n()) {
      PyErr_Clear();
      throw InputError(fmt::format("mask: an array of shape ({},) of bools is expected", n()));
    }
    std::vector<unsigned char> out(batch.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = mask.data()[i] ? 1 : 0;
    return out;
  }

  // Numbers of a shape that is expected.
  static py::array_t<double> table_of(const py::object& given, const std::vector<py::ssize_t>& shape,
                                      const char* what) {
    auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
    const std::string due = py::str(py::cast(shape)).cast<std::string>();
    if (!array) {
      PyErr_Clear();
      throw InputError(fmt::format("{}: an array of shape {} of real numbers is expected", what, due));
    }
    if (std::vector<py::ssize_t>(array.shape(), array.shape() + array.ndim()) != shape)
      throw InputError(fmt::format("{}: an array of shape {} is expected, this one has shape {}", what, due,
                                   py::str(array.attr("shape")).cast<std::string>()));
    return array;
  }
  static std::span<const double> span_of(const py::array_t<double>& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
  }

  void step(long count) {
    const py::gil_scoped_release release;
    batch.step(count);
  }

  void reset(const py::object& which, const py::object& states, const py::object& q, const py::object& v) {
    const std::vector<unsigned char> mask = mask_of(which);
    if (!states.is_none()) return reset_states(mask, states);
    if (q.is_none() && v.is_none()) {
      const py::gil_scoped_release release;
      return batch.reset(mask);
    }
    const auto nq = static_cast<py::ssize_t>(batch.n_q()), nv = static_cast<py::ssize_t>(batch.n_v());
    if (q.is_none()) throw InputError("reset: q is expected where v is given");
    const py::array_t<double> at = table_of(q, {n(), nq}, "q");
    const py::array_t<double> rates =
        v.is_none() ? table_of(py::module_::import("numpy").attr("zeros")(py::make_tuple(n(), nv)), {n(), nv}, "v")
                    : table_of(v, {n(), nv}, "v");
    const std::span<const double> to_q = span_of(at), to_v = span_of(rates);
    const py::gil_scoped_release release;
    batch.reset(mask, to_q, to_v);
  }

  // One state for all, or a list with one a world.
  void reset_states(const std::vector<unsigned char>& mask, const py::object& given) {
    std::vector<State> states(batch.size());
    if (py::isinstance<SavedState>(given)) {
      const auto& one = given.cast<const SavedState&>();
      check(one);
      std::fill(states.begin(), states.end(), one.state);
    } else {
      const auto list = given.cast<std::vector<py::object>>();
      if (list.size() != batch.size())
        throw InputError(fmt::format("states: {} are expected, one a world", batch.size()));
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (!mask.empty() && mask[i] == 0) continue;
        const auto& one = list[i].cast<const SavedState&>();
        check(one);
        states[i] = one.state;
      }
    }
    const py::gil_scoped_release release;
    batch.reset(mask, states);
  }
  void check(const SavedState& saved) const {
    if (saved.model != hash) throw InputError("this state is of another model");
  }

  SavedState state(long world) {
    if (world < 0 || world >= n()) throw InputError(fmt::format("there is no world {}; the batch has {}", world, n()));
    const auto i = static_cast<std::size_t>(world);
    const auto row = [i](std::span<const double> all, std::size_t width) {
      const std::span<const double> part = all.subspan(i * width, width);
      return std::vector<double>(part.begin(), part.end());
    };
    Drive drive{row(batch.tau(), batch.n_v()), row(batch.ctrl(), batch.n_u())};
    if (std::any_of(drive.tau.begin(), drive.tau.end(), [](double x) { return x != 0; })) {
      drive.tau.resize(all_v);
      drive.body_forces.resize(batch.model().bodies.size());
    } else {
      drive.tau.clear();
    }
    return {hash, batch.settings(), batch.state(i), std::move(drive)};
  }

  std::span<const double> sensors() {
    const py::gil_scoped_release release;
    return batch.sensors();
  }

  py::array_t<double> rollout(const py::object& states, const py::object& ctrl, const py::object& tau, long steps) {
    if (steps < 0) throw InputError("rollout: nstep must be 0 or more");
    const auto width = static_cast<py::ssize_t>(batch.n_state());
    RolloutInput given{.steps = static_cast<std::size_t>(steps)};
    std::vector<py::array_t<double>> kept;  // the arrays the spans look at
    const auto take = [&](const py::object& from, const std::vector<py::ssize_t>& shape, const char* what) {
      return from.is_none() ? std::span<const double>{} : span_of(kept.emplace_back(table_of(from, shape, what)));
    };
    given.states = take(states, {n(), width}, "initial_state");
    given.ctrl = take(ctrl, {n(), steps, static_cast<py::ssize_t>(batch.n_u())}, "control");
    given.tau = take(tau, {n(), steps, static_cast<py::ssize_t>(batch.n_v())}, "tau");
    py::array_t<double> out({n(), static_cast<py::ssize_t>(steps), width});
    const std::span<double> to(out.mutable_data(), static_cast<std::size_t>(out.size()));
    {
      const py::gil_scoped_release release;
      batch.rollout(given, to);
    }
    return out;
  }

  py::tuple energy() {
    py::array_t<double> kinetic(n()), potential(n());
    const std::span<double> k(kinetic.mutable_data(), batch.size()), p(potential.mutable_data(), batch.size());
    {
      const py::gil_scoped_release release;
      batch.energy(k, p);
    }
    return py::make_tuple(kinetic, potential);
  }

  void set_parameter(const std::string& path, const py::object& values) {
    const py::array_t<double> given = table_of(values, {n()}, path.c_str());
    const std::span<const double> numbers = span_of(given);
    const py::gil_scoped_release release;
    batch.set_parameter(path, numbers);
  }

  Batch batch;
  std::uint64_t hash;
  std::size_t all_v;
};

using Ptr = std::shared_ptr<Batched>;

template <class T>
py::array list_view(const Ptr& s, std::span<const T> list) {
  py::array_t<int> out({s->n()}, reinterpret_cast<const int*>(list.data()), py::cast(s));
  out.attr("flags").attr("writeable") = false;
  return out;
}

py::array table(const Ptr& s, std::span<const double> numbers, std::size_t width, bool writable) {
  return view(numbers.data(), {s->n(), static_cast<py::ssize_t>(width)}, py::cast(s), writable);
}

void bind_arrays(py::class_<Batched, Ptr>& type) {
  const auto fill = [](Batched& s, std::span<double> to, std::size_t width, const py::object& x, const char* what) {
    const py::array_t<double> given = Batched::table_of(x, {s.n(), static_cast<py::ssize_t>(width)}, what);
    std::copy_n(given.data(), to.size(), to.begin());
  };
  type.def_property_readonly(
          "q", [](const Ptr& s) { return table(s, s->batch.q(), s->batch.n_q(), false); },
          "Coordinates, (n, nq); a view that steps bring up to date.")
      .def_property_readonly(
          "v", [](const Ptr& s) { return table(s, s->batch.v(), s->batch.n_v(), false); }, "Rates, (n, nv); a view.")
      .def_property(
          "tau", [](const Ptr& s) { return table(s, s->batch.tau(), s->batch.n_v(), true); },
          [=](Batched& s, const py::object& x) { fill(s, s.batch.tau(), s.batch.n_v(), x, "tau"); },
          "Forces along the rates [N, N m], (n, nv); a view to write to.")
      .def_property(
          "ctrl", [](const Ptr& s) { return table(s, s->batch.ctrl(), s->batch.n_u(), true); },
          [=](Batched& s, const py::object& x) { fill(s, s.batch.ctrl(), s.batch.n_u(), x, "ctrl"); },
          "Added to the set-points of the actuators, (n, nu); a view to write to.")
      .def_property_readonly(
          "sensors", [](const Ptr& s) { return table(s, s->sensors(), s->batch.n_sensor(), false); },
          "What all sensors read, one after the other in the model's order, (n, nsensor); a view that steps bring up "
          "to date from the first time it is asked for. Accelerations and forces cost a solve a step.")
      .def(
          "sensor",
          [](const Ptr& s, const std::string& name) {
            const auto [first, count] = s->batch.sensor(name);
            const py::array all = table(s, s->sensors(), s->batch.n_sensor(), false);
            const auto from = static_cast<py::ssize_t>(first), to = static_cast<py::ssize_t>(first + count);
            return py::object(all[py::make_tuple(py::ellipsis(), py::slice(from, to, 1))]);
          },
          py::arg("name"), "What one sensor reads in every world, (n, k); a view of `sensors`.")
      .def_property_readonly(
          "time", [](const Ptr& s) { return view(s->batch.time().data(), {s->n()}, py::cast(s), false); },
          "(n,) [s]; a view.")
      .def_property_readonly(
          "residual", [](const Ptr& s) { return view(s->batch.residual().data(), {s->n()}, py::cast(s), false); },
          "(n,) the worst of the last step() or rollout(); a view.")
      .def_property_readonly(
          "drift", [](const Ptr& s) { return view(s->batch.drift().data(), {s->n()}, py::cast(s), false); },
          "(n,) [m] the worst of the last step() or rollout(); a view.")
      .def_property_readonly(
          "contacts", [](const Ptr& s) { return list_view(s, s->batch.contacts()); },
          "(n,) most contacts of a step of the last step() or rollout(); a view.")
      .def_property_readonly(
          "status", [](const Ptr& s) { return list_view(s, s->batch.status()); },
          "(n,) indices into catena.STATUS; 0 is ok. A world that is not ok waits for reset(). A view.");
}

}  // namespace

void bind_batch(py::module_& module) {
  py::list words;
  for (const Status status : {Status::ok, Status::diverged, Status::singular, Status::not_converged, Status::too_long})
    words.append(name_of(status));
  module.attr("STATUS") = py::tuple(words);
  py::class_<Batched, Ptr> type(
      module, "Batch",
      "Batch(scene, n, threads=1, **settings): n worlds of one model, stepped in threads. The "
      "results are the same for any number of threads.");
  const py::object none = py::none();
  type.def(py::init<const LoadedScene&, std::size_t, int, const py::kwargs&>(), py::arg("scene"), py::arg("n"),
           py::arg("threads") = 1)
      .def("step", &Batched::step, py::arg("k") = 1,
           "k steps in every world whose status is ok; one that fails stops, the others go on. Without the GIL.")
      .def("reset", &Batched::reset, py::arg("mask") = none, py::arg("states") = none, py::arg("q") = none,
           py::arg("v") = none,
           "The worlds where mask (n,) is true, or all: to the initial state; to states, one State or one a world; to "
           "q (n, nq) and v (n, nv) with the loops closed. tau becomes 0 and ctrl what it was at the start.")
      .def("_rollout", &Batched::rollout)
      .def_property_readonly(
          "lanes",
          [](const Batched& s) {
            const LaneReport report = s.batch.lanes();
            py::dict out;
            out["width"] = report.width;
            out["why_not"] = report.why_not;
            out["steps_in_lanes"] = report.steps_in_lanes;
            out["steps_alone"] = report.steps_alone;
            return out;
          },
          "How steps were taken so far: width, worlds that are stepped at once (0: none ever is, and why_not says "
          "why); "
          "steps_in_lanes and steps_alone of a world.")
      .def(
          "use_lanes", [](Batched& s, bool use) { s.batch.use_lanes(use); }, py::arg("use"),
          "Whether worlds may be stepped several at once. Results are the same.")
      .def("state", &Batched::state, py::arg("world"), "A copy of a world's State, with its tau and ctrl.")
      .def("energy", &Batched::energy, "Kinetic and potential energy, (n,) each [J].")
      .def(
          "message", [](const Batched& s, std::size_t world) { return s.batch.message(world); }, py::arg("world"),
          "Why the world is not ok.")
      .def(
          "parameter",
          [](const Batched& s, const std::string& path) {
            const std::vector<double> values = s.batch.parameter(path);
            return py::array_t<double>(s.n(), values.data());
          },
          py::arg("path"), "A physical parameter in every world, (n,), such as 'bodies.rod.mass'.")
      .def("set_parameter", &Batched::set_parameter, py::arg("path"), py::arg("values"),
           "(n,) values; a world whose value is not the scene's gets a model and workspaces of its own.")
      .def_property_readonly(
          "parameters", [](const Batched& s) { return parameter_paths(s.batch.model()); }, "Paths of all parameters.")
      .def("__len__", [](const Batched& s) { return s.batch.size(); })
      .def_property_readonly(
          "nq", [](const Batched& s) { return s.batch.n_q(); }, "Coordinates of a world.")
      .def_property_readonly(
          "nv", [](const Batched& s) { return s.batch.n_v(); }, "Rates of a world.")
      .def_property_readonly(
          "nu", [](const Batched& s) { return s.batch.n_u(); }, "Inputs of a world.")
      .def_property_readonly(
          "nsensor", [](const Batched& s) { return s.batch.n_sensor(); }, "Numbers that the sensors of a world read.")
      .def_property_readonly(
          "nstate", [](const Batched& s) { return s.batch.n_state(); }, "1 + nq + nv: time, q, v.")
      .def_property_readonly(
          "threads", [](const Batched& s) { return s.batch.threads(); }, "That step the worlds.")
      .def_property_readonly(
          "settings", [](const Batched& s) { return to_python(s.batch.settings()); }, "As run.")
      .def_property_readonly(
          "bytes_per_world", [](const Batched& s) { return s.batch.bytes_per_world(); },
          "Memory of a world without parameters of its own.")
      .def("__repr__", [](const Batched& s) {
        return fmt::format("<catena.Batch '{}': {} worlds, {} threads, nq {}, nv {}, nu {}, method {}>",
                           s.batch.model().name, s.batch.size(), s.batch.threads(), s.batch.n_q(), s.batch.n_v(),
                           s.batch.n_u(), word_of(kMethodNames, s.batch.settings().method));
      });
  bind_arrays(type);
}

}  // namespace catena::python
