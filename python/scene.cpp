// Scenes and models.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bindings.h"
#include "catena/model/fingerprint.h"

namespace catena::python {
namespace {

bool is_text(const std::string& source) {
  return source.find('\n') != std::string::npos || source.starts_with('{') || source.starts_with('<');
}

Scene read_scene(const LoadedScene& how) {
  if (!is_text(how.source)) return load(how.source, how.overrides, how.import);
  return load_text(how.source, "text", how.folder.empty() ? "." : how.folder, how.overrides, how.import);
}

py::dict import_options_to_dict(const ImportOptions& o) {
  using namespace py::literals;
  return py::dict("floating"_a = o.floating, "packages"_a = o.packages, "skip_missing_meshes"_a = o.missing_meshes,
                  "keyframe"_a = o.keyframe, "mujoco_softness"_a = o.mujoco_softness);
}

ImportOptions options_of(const py::dict& d) {
  ImportOptions out;
  out.floating = d["floating"].cast<bool>();
  out.packages = d["packages"].cast<std::map<std::string, std::string>>();
  out.missing_meshes = d["skip_missing_meshes"].cast<bool>();
  out.keyframe = d["keyframe"].cast<std::string>();
  out.mujoco_softness = d["mujoco_softness"].cast<bool>();
  return out;
}

// A scene travels as its text, with includes and overrides put in, so that it arrives where its file is not. Meshes are looked for where
// they were. A keyframe and robot files' settings are applied again.
py::tuple to_pickle(const LoadedScene& s) {
  const bool robot = is_robot_text(s.scene.source);
  return py::make_tuple(s.scene.source, s.folder, robot ? s.overrides : std::vector<std::string>(),
                        import_options_to_dict(s.import), s.hash);
}

ScenePtr from_pickle(const py::tuple& t) {
  if (t.size() != 5) throw InputError("this is no pickled scene");
  auto text = t[0].cast<std::string>();
  if (!is_text(text)) text += "\n";
  auto out = std::make_shared<LoadedScene>(std::move(text), t[2].cast<std::vector<std::string>>(),
                                           options_of(t[3].cast<py::dict>()), t[1].cast<std::string>());
  if (out->hash != t[4].cast<std::uint64_t>())
    throw InputError("the pickled scene reads as another one here: files it refers to have changed");
  return out;
}

struct ModelOf {
  ScenePtr scene;
  const Model& operator*() const { return *scene->model; }
};

template <class List>
std::vector<std::string> names(const List& all) {
  std::vector<std::string> out;
  for (const auto& each : all) out.push_back(each.name);
  return out;
}

RowMajor inertias(const Model& m) {
  RowMajor out(static_cast<Eigen::Index>(m.bodies.size()), 6);
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const Sym3& I = m.bodies[i].inertia;
    out.row(static_cast<Eigen::Index>(i)) << I.xx, I.yy, I.zz, I.xy, I.xz, I.yz;
  }
  return out;
}

RowMajor control_range(const Model& m) {
  if (m.controls.empty()) {
    RowMajor out(static_cast<Eigen::Index>(m.actuators.size()), 2);
    out.col(0).setConstant(-std::numeric_limits<double>::infinity());
    out.col(1).setConstant(std::numeric_limits<double>::infinity());
    return out;
  }
  RowMajor out(static_cast<Eigen::Index>(m.controls.size()), 2);
  for (std::size_t i = 0; i < m.controls.size(); ++i)
    out.row(static_cast<Eigen::Index>(i)) << m.controls[i].ctrl_lower, m.controls[i].ctrl_upper;
  return out;
}

void bind_model(py::module_& module) {
  py::class_<ModelOf>(module, "Model", "Bodies, joints, shapes and forces; shared and never changed.")
      .def_property_readonly("name", [](const ModelOf& m) { return (*m).name; })
      .def_property_readonly(
          "bodies", [](const ModelOf& m) { return names((*m).bodies); }, "Names of the bodies, in their order.")
      .def_property_readonly(
          "joints", [](const ModelOf& m) { return names((*m).joints); }, "Names of the joints, in their order.")
      .def_property_readonly(
          "sites", [](const ModelOf& m) { return names((*m).sites); }, "Names of the sites.")
      .def_property_readonly(
          "sensors", [](const ModelOf& m) { return names((*m).sensors); }, "Names of the sensors.")
      .def_property_readonly(
          "controls", [](const ModelOf& m) { return names((*m).controls); },
          "Names of a robot file's actuators, in the order of sim.ctrl.")
      .def_property_readonly(
          "control_range", [](const ModelOf& m) { return control_range(*m); },
          "Lowest and highest input of each, (nu, 2); of a model whose inputs are set-points, without bounds.")
      .def_property_readonly(
          "keyframes", [](const ModelOf& m) { return names((*m).keyframes); }, "Names of the states it can start from.")
      .def_property_readonly(
          "masses",
          [](const ModelOf& m) {
            Eigen::VectorXd out(static_cast<Eigen::Index>((*m).bodies.size()));
            for (std::size_t i = 0; i < (*m).bodies.size(); ++i)
              out[static_cast<Eigen::Index>(i)] = (*m).bodies[i].mass;
            return out;
          },
          "Masses of the bodies, (n,) [kg].")
      .def_property_readonly(
          "inertias", [](const ModelOf& m) { return inertias(*m); },
          "Inertias about the centres of mass, body axes, (n, 6): xx yy zz xy xz yz [kg m^2].")
      .def_property_readonly(
          "origins",
          [](const ModelOf& m) {
            RowMajor out(static_cast<Eigen::Index>((*m).bodies.size()), 3);
            for (std::size_t i = 0; i < (*m).bodies.size(); ++i)
              out.row(static_cast<Eigen::Index>(i)) = to_array((*m).bodies[i].origin).transpose();
            return out;
          },
          "Of the frames that the file gave the bodies, from the centres of mass, body axes, (n, 3) [m].")
      .def_property_readonly(
          "gravity", [](const ModelOf& m) { return to_array((*m).gravity); }, "(3,) [m/s^2].")
      .def_property_readonly(
          "hash", [](const ModelOf& m) { return m.scene->hash; },
          "A hash of everything that decides how it moves: states of another model are refused.")
      .def("__eq__", [](const ModelOf& a, const ModelOf& b) { return a.scene->hash == b.scene->hash; })
      .def("__hash__", [](const ModelOf& m) { return static_cast<py::ssize_t>(m.scene->hash >> 1); })
      .def(py::pickle([](const ModelOf& m) { return to_pickle(*m.scene); },
                      [](const py::tuple& t) { return ModelOf{from_pickle(t)}; }))
      .def("__repr__", [](const ModelOf& m) {
        return fmt::format("<catena.Model '{}': {} bodies, {} joints>", (*m).name, (*m).bodies.size(),
                           (*m).joints.size());
      });
}

py::list ledger_of(const LoadedScene& s) {
  using namespace py::literals;
  py::list out;
  for (const LedgerEntry& e : s.scene.ledger)
    out.append(py::dict("file"_a = e.file, "line"_a = e.line, "element"_a = e.element, "attribute"_a = e.attribute,
                        "what"_a = std::string(word_of(e.what)), "why"_a = e.why, "physics"_a = e.physics));
  return out;
}

}  // namespace

LoadedScene::LoadedScene(std::string from, std::vector<std::string> sets, ImportOptions how, std::string where)
    : source(std::move(from)), folder(std::move(where)), overrides(std::move(sets)), import(std::move(how)) {
  scene = read_scene(*this);
  const auto is_asked = [this](const Keyframe& each) { return each.name == import.keyframe; };
  if (!import.keyframe.empty() && std::none_of(scene.model.keyframes.begin(), scene.model.keyframes.end(), is_asked))
    throw InputError(fmt::format("{}: there is no keyframe '{}'", is_text(source) ? "text" : source, import.keyframe));
  if (folder.empty() && !is_text(source)) folder = std::filesystem::absolute(source).parent_path().string();
  model = std::make_shared<const Model>(scene.model);
  hash = fingerprint(scene);
}

py::object model_of(const ScenePtr& scene) { return py::cast(ModelOf{scene}); }

void bind_scene(py::module_& module) {
  bind_model(module);
  module.def(
      "_load",
      [](const std::string& source, const std::vector<std::string>& overrides, const py::dict& import, bool strict) {
        auto out = std::make_shared<LoadedScene>(source, overrides, options_of(import));
        if (strict && ignores_physics(out->scene.ledger))
          throw InputError(fmt::format("{}: physics was ignored, and strict=True was given; scene.ledger lists it",
                                       is_text(source) ? "text" : source));
        return out;
      },
      py::arg("source"), py::arg("overrides"), py::arg("options"), py::arg("strict"));
  py::class_<LoadedScene, ScenePtr>(module, "Scene",
                                    "A model, its initial state and its settings: Scene(path or text, overrides).")
      .def(py::init([](const std::string& source, const std::vector<std::string>& overrides) {
             return std::make_shared<LoadedScene>(source, overrides, ImportOptions{});
           }),
           py::arg("source"), py::arg("overrides") = std::vector<std::string>())
      .def_property_readonly("model", [](const ScenePtr& s) { return model_of(s); })
      .def_property_readonly(
          "settings", [](const LoadedScene& s) { return to_python(s.scene.settings); }, "Its `simulate:` block.")
      .def_property_readonly("warnings", [](const LoadedScene& s) { return s.scene.warnings; })
      .def_property_readonly("ledger", &ledger_of,
                             "Of a robot file: what became of each of its elements and attributes, a list of dicts.")
      .def_property_readonly(
          "text", [](const LoadedScene& s) { return s.scene.source; }, "The text, with includes and overrides put in.")
      .def_readonly("source", &LoadedScene::source, "What it was read from: a path or a text.")
      .def(py::pickle(&to_pickle, &from_pickle))
      .def("__repr__", [](const LoadedScene& s) {
        return fmt::format("<catena.Scene '{}': {} bodies, {} joints>", s.model->name, s.model->bodies.size(),
                           s.model->joints.size());
      });
}

}  // namespace catena::python
