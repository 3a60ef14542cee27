// The module catena._catena, and arrays in and out.
#include <fmt/format.h>

#include <cmath>

#include "bindings.h"

namespace catena::python {

std::vector<double> numbers_of(const py::object& given, std::size_t due, const char* what) {
  if (py::isinstance<py::array>(given)) {
    const auto array = py::cast<py::array>(given);
    if ((array.flags() & py::array::c_style) == 0)
      throw InputError(
          fmt::format("{}: the array is not contiguous (C order); numpy.ascontiguousarray makes it so", what));
    if (std::string("fiu").find(array.dtype().kind()) == std::string::npos)
      throw InputError(fmt::format("{}: an array of real numbers is expected", what));
  }
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
  if (!numbers) {
    PyErr_Clear();
    throw InputError(fmt::format("{}: {} numbers are expected", what, due));
  }
  if (numbers.ndim() != 1 || static_cast<std::size_t>(numbers.size()) != due)
    throw InputError(fmt::format("{}: an array of shape ({},) is expected, this one has shape {}", what, due,
                                 py::str(numbers.attr("shape")).cast<std::string>()));
  std::vector<double> out(numbers.data(), numbers.data() + numbers.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!std::isfinite(out[i])) throw InputError(fmt::format("{}: number {} is not finite", what, i));
  return out;
}

Vec3 vector_of(const py::object& given, const char* what) {
  const std::vector<double> x = numbers_of(given, 3, what);
  return {x[0], x[1], x[2]};
}

py::array view(const double* data, std::vector<py::ssize_t> shape, const py::handle& owner, bool writable) {
  py::array_t<double> out(std::move(shape), data, owner);
  if (!writable) py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return out;
}

}  // namespace catena::python

PYBIND11_MODULE(_catena, module) {
  using namespace catena::python;
  module.doc() = "The compiled part of catena.";
  py::register_exception<catena::InputError>(module, "InputError", PyExc_ValueError);
  module.attr("__version__") = CATENA_VERSION;
  bind_settings(module);
  bind_scene(module);
  bind_state(module);
  bind_simulation(module);
  bind_recording(module);
  bind_solve(module);
  bind_batch(module);
  bind_ensemble(module);
  bind_view(module);
}
