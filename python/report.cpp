// What steps say of themselves, and the step itself: by the interpreter's own means rather than pybind11's, whose call and object cost more than
// a small step does.
#include <fmt/format.h>

#include <new>

#include "simulated.h"

namespace catena::python {
namespace {

struct ReportObject {
  PyObject_HEAD Report report;
};

PyTypeObject* report_type = nullptr;
PyObject* input_error = nullptr;

const Report& report_of(PyObject* self) { return reinterpret_cast<ReportObject*>(self)->report; }

}  // namespace

const char* name_of(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::diverged: return "diverged";
    case Status::singular: return "singular";
    case Status::too_long: return "too long";
    case Status::interrupted: return "interrupted";
    case Status::not_converged: break;
  }
  return "not converged";
}

namespace {

PyObject* to_object(bool x) { return PyBool_FromLong(x ? 1 : 0); }
PyObject* to_object(double x) { return PyFloat_FromDouble(x); }
PyObject* to_object(int x) { return PyLong_FromLong(x); }
PyObject* to_object(const char* x) { return PyUnicode_FromString(x); }
PyObject* to_object(const std::string& x) {
  return PyUnicode_DecodeUTF8(x.data(), static_cast<Py_ssize_t>(x.size()), "replace");
}
PyObject* to_object(py::dict x) { return x.release().ptr(); }

template <auto kGet>
constexpr PyGetSetDef field(const char* name, const char* doc) {
  return {name, [](PyObject* self, void*) { return to_object(kGet(report_of(self))); }, nullptr, doc, nullptr};
}

PyGetSetDef kFields[] = {
    field<[](const Report& r) { return r.steps.ok(); }>("ok", "Whether all is well."),
    field<[](const Report& r) { return name_of(r.steps.status); }>("status",
                                                                   "'ok', 'diverged', 'singular' or 'not converged'."),
    field<[](const Report& r) -> const std::string& { return r.steps.message; }>("message",
                                                                                 "What went wrong, where and when."),
    field<[](const Report& r) { return r.steps.time; }>("time", "At the end [s]."),
    field<[](const Report& r) { return r.steps.residual; }>("residual", "Of the constraint solve, relative."),
    field<[](const Report& r) { return r.steps.drift_position; }>("drift", "Of the joints [m]."),
    field<[](const Report& r) { return r.steps.drift_angle; }>("drift_angle", "Of the joints [rad]."),
    field<[](const Report& r) { return r.steps.complementarity; }>(
        "complementarity", "Natural-map residual of the contact problem, relative."),
    field<[](const Report& r) { return r.steps.penetration; }>("penetration", "Deepest overlap [m]."),
    field<[](const Report& r) { return r.steps.contacts; }>("contacts", "Their number."),
    field<[](const Report& r) { return r.steps.impacts; }>("impacts", "Their number."),
    field<[](const Report& r) { return r.steps.asleep; }>("asleep", "Bodies that sleep at its end."),
    field<[](const Report& r) { return r.steps.halvings; }>("halvings",
                                                            "Times a step or a part of it was taken in two halves."),
    field<[](const Report& r) { return r.steps.swept; }>("swept",
                                                         "Times the contacts were swept rather than solved exactly."),
    field<[](const Report& r) { return r.steps.sweeps; }>("sweeps",
                                                          "Most Gauss-Seidel sweeps one contact problem took."),
    field<[](const Report& r) { return r.steps.monitored; }>(
        "monitored",
        "Error that Lacoursiere's Algorithm 2.2 ended with, where sweep_algorithm='monitored' is asked for."),
    field<[](const Report& r) { return r.steps.fallbacks; }>("fallbacks", "Solvers that were tried in vain."),
    field<[](const Report& r) { return to_dict(r.ledger); }>("energy", "Work by cause since t = 0 [J]."),
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

void destroy(PyObject* self) {
  reinterpret_cast<ReportObject*>(self)->report.~Report();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* describe(PyObject* self) {
  const StepReport& r = report_of(self).steps;
  return to_object(fmt::format("<catena.StepReport {} at t = {:.6g} s: residual {:.1e}, drift {:.1e} m{}>",
                               name_of(r.status), r.time, r.residual, r.drift_position,
                               r.message.empty() ? "" : ": " + r.message));
}

// Whatever a step throws, as the interpreter's error.
PyObject* raise() {
  try {
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const InputError& error) {
    PyErr_SetString(input_error, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

// step(n=1): the number, or -1 with an error set.
long count_of(PyObject* const* arguments, Py_ssize_t given, PyObject* names) {
  const Py_ssize_t named = names != nullptr ? PyTuple_GET_SIZE(names) : 0;
  if (given + named == 0) return 1;
  if (given + named > 1 || (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "n") != 0)) {
    PyErr_SetString(PyExc_TypeError, "step(n=1): one whole number is expected");
    return -1;
  }
  PyObject* number = PyNumber_Index(arguments[0]);
  if (number == nullptr) return -1;
  const long count = PyLong_AsLong(number);
  Py_DECREF(number);
  if (count < 0 && !PyErr_Occurred())
    PyErr_SetString(input_error, fmt::format("step({}): a number of steps is expected, 0 or more", count).c_str());
  return count;
}

PyObject* step(PyObject* self, PyObject* const* arguments, Py_ssize_t given, PyObject* names) {
  const long count = count_of(arguments, given, names);
  if (count < 0) return nullptr;
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  auto* simulated = instance->simple_layout ? static_cast<Simulated*>(instance->simple_value_holder[0]) : nullptr;
  if (simulated == nullptr) {
    PyErr_SetString(PyExc_TypeError, "step(): Simulation.__init__() has not been called");
    return nullptr;
  }
  try {
    return to_python(simulated->step(count)).release().ptr();
  } catch (...) {
    return raise();
  }
}

PyMethodDef kStep = {
    "step", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&step)), METH_FASTCALL | METH_KEYWORDS,
    "step(n=1) -> StepReport: n whole steps; stops at the first that fails. The interpreter's lock is released."};

}  // namespace

py::dict to_dict(const Ledger& ledger) {
  using namespace py::literals;
  const auto& [motors, actuators, external, damping, contacts, projection, numerical] = ledger;
  return py::dict("motors"_a = motors, "actuators"_a = actuators, "external"_a = external, "damping"_a = damping,
                  "contacts"_a = contacts, "projection"_a = projection, "numerical"_a = numerical);
}

py::object to_python(Report&& report) {
  PyObject* object = report_type->tp_alloc(report_type, 0);
  if (object == nullptr) throw std::bad_alloc();
  new (&reinterpret_cast<ReportObject*>(object)->report) Report(std::move(report));
  return py::reinterpret_steal<py::object>(object);
}

void bind_report(py::module_& module) {
  constexpr auto truth = +[](PyObject* self) { return report_of(self).steps.ok() ? 1 : 0; };
  static const char* kDoc = "What one or more steps said of themselves; of several the worst.";
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                         {Py_tp_repr, reinterpret_cast<void*>(&describe)},
                         {Py_nb_bool, reinterpret_cast<void*>(truth)},
                         {Py_tp_getset, kFields},
                         {Py_tp_doc, const_cast<char*>(kDoc)},
                         {0, nullptr}};
  PyType_Spec spec = {"catena._catena.StepReport", static_cast<int>(sizeof(ReportObject)), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  report_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (report_type == nullptr) throw py::error_already_set();
  module.attr("StepReport") = py::handle(reinterpret_cast<PyObject*>(report_type));
  input_error = py::object(module.attr("InputError")).release().ptr();
}

void bind_step(py::class_<Simulated, SimPtr>& type) {
  PyObject* method = PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &kStep);
  if (method == nullptr) throw py::error_already_set();
  type.attr("step") = py::reinterpret_steal<py::object>(method);
}

}  // namespace catena::python
