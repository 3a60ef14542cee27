// States as bytes, with a hash of the model they belong to.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include "bindings.h"
#include "state.h"

namespace catena::python {
namespace {

constexpr std::uint64_t kMagic = 0x3145544154534e43;  // "CNSTATE1"

// One function says what a state is made of, for writing and reading alike.
template <class Archive, class S>
void walk(Archive& archive, S& s) {
  archive(s.time);
  archive(s.clock);
  archive(s.bodies);
  archive(s.joint_angles);
  archive(s.q);
  archive(s.qd);
  archive(s.next_step);
  archive(s.impulses);
  archive(s.activation);
  archive(s.ledger);
}

struct Writer {
  std::string bytes;
  template <class T>
  void operator()(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(static_cast<std::uint64_t>(list.size()));
    for (const T& x : list) (*this)(x);
  }
};

struct Reader {
  std::string_view bytes;
  template <class T>
  void operator()(T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes.size() < sizeof x) throw InputError("these bytes are no state: they end too early");
    std::memcpy(&x, bytes.data(), sizeof x);
    bytes.remove_prefix(sizeof x);
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    std::uint64_t size = 0;
    (*this)(size);
    if (size > bytes.size() / sizeof(T)) throw InputError("these bytes are no state: they end too early");
    list.resize(size);
    for (T& x : list) (*this)(x);
  }
};

// FNV-1a over numbers and names.
struct Hash {
  std::uint64_t value = 0xcbf29ce484222325;
  void bytes(const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) value = (value ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  }
  void operator()(double x) { bytes(&x, sizeof x); }
  void operator()(int x) { bytes(&x, sizeof x); }
  void operator()(const std::string& text) {
    (*this)(static_cast<int>(text.size()));
    bytes(text.data(), text.size());
  }
  void operator()(const Vec3& v) {
    for (const double x : {v.x, v.y, v.z}) (*this)(x);
  }
  void operator()(const Quat& q) {
    (*this)(q.w);
    (*this)(q.vec());
  }
  void operator()(const Shape& shape) {
    (*this)(static_cast<int>(shape.geometry.index()));
    (*this)(shape.position);
    (*this)(shape.orientation);
    (*this)(shape.material);
    const MassProperties solid = mass_properties(shape.geometry, 1);
    (*this)(solid.mass);
    (*this)(solid.centre);
  }
};

}  // namespace

std::uint64_t hash_of(const Model& model) {
  Hash hash;
  hash(model.gravity);
  for (const Body& body : model.bodies) {
    hash(body.name);
    hash(static_cast<int>(body.kind));
    hash(body.mass);
    for (const double x :
         {body.inertia.xx, body.inertia.yy, body.inertia.zz, body.inertia.xy, body.inertia.xz, body.inertia.yz})
      hash(x);
    for (const Shape& shape : body.shapes) hash(shape);
  }
  for (const Shape& shape : model.ground_shapes) hash(shape);
  for (const Joint& joint : model.joints) {
    hash(joint.name);
    for (const int x : {static_cast<int>(joint.kind), joint.a.value(), joint.b.value()}) hash(x);
    hash(joint.anchor_a);
    hash(joint.anchor_b);
    hash(joint.frame_a);
    hash(joint.frame_b);
    hash(joint.parameter);
    const JointExtras& extras = model.extras_of(joint);
    for (const double x : {extras.damping, extras.stiffness, extras.rest, extras.friction, extras.compliance}) hash(x);
  }
  hash(static_cast<int>(model.actuators.size()));
  for (const Material& material : model.materials) {
    hash(material.friction);
    hash(material.restitution);
  }
  return hash.value;
}

std::string to_bytes(const SavedState& saved) {
  Writer writer;
  writer(kMagic);
  writer(saved.model);
  walk(writer, saved.state);
  writer(saved.tau);
  writer(saved.ctrl);
  return writer.bytes;
}

SavedState from_bytes(std::string_view bytes) {
  Reader reader{bytes};
  std::uint64_t magic = 0;
  SavedState saved;
  reader(magic);
  if (magic != kMagic) throw InputError("these bytes are no state");
  reader(saved.model);
  walk(reader, saved.state);
  reader(saved.tau);
  reader(saved.ctrl);
  if (!reader.bytes.empty()) throw InputError("these bytes are no state: there are too many of them");
  return saved;
}

void bind_state(py::module_& module) {
  py::class_<SavedState>(module, "State", "Everything that decides the next bit of a simulation: a copy.")
      .def_property_readonly(
          "time", [](const SavedState& s) { return s.state.time; }, "[s]")
      .def_property_readonly("model_hash", [](const SavedState& s) { return s.model; })
      .def("to_bytes", [](const SavedState& s) { return py::bytes(to_bytes(s)); })
      .def_static(
          "from_bytes", [](const py::bytes& bytes) { return from_bytes(std::string(bytes)); }, py::arg("bytes"))
      .def("copy", [](const SavedState& s) { return s; })
      .def("__copy__", [](const SavedState& s) { return s; })
      .def("__deepcopy__", [](const SavedState& s, const py::dict&) { return s; })
      .def("__eq__", [](const SavedState& a, const SavedState& b) { return to_bytes(a) == to_bytes(b); })
      .def("__hash__", [](const SavedState& s) { return std::hash<std::string>{}(to_bytes(s)); })
      .def(py::pickle([](const SavedState& s) { return py::make_tuple(py::bytes(to_bytes(s))); },
                      [](const py::tuple& t) { return from_bytes(t[0].cast<std::string>()); }))
      .def("__repr__", [](const SavedState& s) {
        return fmt::format("<catena.State at t = {:.6g} s, {} bodies>", s.state.time, s.state.bodies.size());
      });
}

}  // namespace catena::python
