// Ensembles: members run anywhere, their lines are gathered in one folder.
#include "catena/ensemble/ensemble.h"

#include <fmt/format.h>

#include "bindings.h"
#include "catena/ensemble/folder.h"

namespace catena::python {
namespace {

Ensemble make(const std::string& file, const std::vector<std::string>& overrides, const std::vector<std::string>& grid,
              const std::vector<std::string>& random, const std::vector<std::string>& measures, long runs,
              std::uint64_t seed, bool latin_hypercube) {
  EnsembleSpec spec = spec_of_file(file, overrides);
  for (const std::string& text : grid) spec.grid.push_back(parse_grid(text));
  for (const std::string& text : random) spec.random.push_back(parse_random(text));
  spec.measures = measures;
  spec.runs = runs;
  spec.seed = seed;
  spec.latin_hypercube = latin_hypercube;
  return Ensemble(std::move(spec));
}

// Table and page where every member is there; the number of those that are not.
long finish(const std::string& folder, const Ensemble& ensemble) {
  const Results results = read_results(folder, ensemble);
  const long missing = ensemble.size() - static_cast<long>(results.size());
  if (missing > 0) return missing;
  write_table(folder, ensemble, results);
  write_page(folder, ensemble, results, {});
  return 0;
}

}  // namespace

void bind_ensemble(py::module_& module) {
  py::class_<Ensemble>(module, "_Ensemble")
      .def(py::init(&make))
      .def_static("of", [](const std::string& text) { return Ensemble(spec_of(text)); })
      .def_property_readonly("spec", [](const Ensemble& e) { return to_json_text(e.spec()); })
      .def("__len__", &Ensemble::size)
      .def(
          "run",
          [](const Ensemble& e, long member) {
            const py::gil_scoped_release release;
            return to_json_line(e, e.run(member));
          },
          py::arg("member"));
  py::class_<Manifest>(module, "_Manifest")
      .def(py::init([](const std::string& folder, const Ensemble& ensemble) {
             return std::make_unique<Manifest>(folder, ensemble, Share{});
           }),
           py::keep_alive<1, 3>())
      .def_property_readonly("waiting", &Manifest::waiting)
      .def("write", &Manifest::write_line);
  module.def("_finish_ensemble", &finish);
}

}  // namespace catena::python
