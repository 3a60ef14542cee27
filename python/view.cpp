// A scene live in the browser, from a state on.
#include "bindings.h"
#include "catena/record/page.h"
#include "catena/serve/server.h"
#include "state.h"

namespace catena::python {
namespace {

// Serves until a signal ends it; for a process of its own. `ready` is called with the address.
void serve(const LoadedScene& scene, const py::dict& settings, const SavedState& from, int port,
           const std::function<void(std::string)>& ready) {
  if (port < 0 || port > 65535) throw InputError("port: a number from 0 to 65535 is expected");
  Scene live = scene.scene;
  live.settings = settings_with(live.settings, settings);
  LiveRun run(live, &from.state);
  const std::string title = live.model.name.empty() ? "catena" : live.model.name + " – catena";
  Server server(page_html(title, {}), &run, static_cast<std::uint16_t>(port));
  ready(server.address());
  const py::gil_scoped_release release;
  if (!server.serve()) std::_Exit(0);  // in the middle of a long step, which nothing can end but the end of the process
}

}  // namespace

void bind_view(py::module_& module) {
  module.def("_serve", &serve, py::arg("scene"), py::arg("settings"), py::arg("state"), py::arg("port"),
             py::arg("ready"));
}

}  // namespace catena::python
