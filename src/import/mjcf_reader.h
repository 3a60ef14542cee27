// The parts of the MJCF reader. A file is read in order: compiler and options, defaults, assets, bodies; then what refers to them.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>

#include "catena/import/mesh_solid.h"
#include "catena/import/mjcf.h"
#include "catena/import/numbers.h"
#include "catena/import/reference_inertia.h"
#include "catena/model/placement.h"

namespace catena::mjcf {

struct Compiler {
  bool degrees = true, autolimits = true, balance = false, strip_path = false, fit_box = false;
  std::string euler = "xyz", mesh_folder;
  std::string inertia_from_geom = "auto";
  int group_first = 0, group_last = 5;
  double bound_mass = 0, bound_inertia = 0, total_mass = -1;
  bool exact_mesh_inertia = false;
};

// What `option` and its flags say.
struct Options {
  double timestep = 0.002;
  bool contacts = true, limits = true, friction = true, equality = true, springs = true, dampers = true,
       actuation = true, filter_parent = true;
};

// force = clip(gain·u + bias), as the shortcuts motor, position, velocity, … and general fill it.
struct ActuatorParams {
  Control control;
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
  double inherit_range =
      0;  // of the target's range, the part that becomes the input's (or, integrated, the activation's)
  double damping_ratio = 0;  // instead of a velocity gain
  bool expressible = true;   // by gain, bias and a filter
  std::string why_not;
  int activations = 0;  // of kinds that are not modelled
  // Of a muscle: its force follows from the scale where it is negative, and its range of lengths from the joints' where it is empty.
  double muscle_scale = 200;
  std::array<double, 2> length_range{};
};

// A class of defaults: attributes by element, inherited from the class around it.
struct Class {
  std::map<std::string, std::map<std::string, std::string>> attributes;
  ActuatorParams actuator;
};

struct MeshAsset {
  const XmlNode* node = nullptr;
  Mesh mesh;
  bool missing = false;
  MeshInertia inertia = MeshInertia::legacy;
};

// Where a body's or geom's name led to.
struct GeomRef {
  int body = 0, shape = 0;
};

// SPOOK's compliance ε = A (1 − d) T² ζ² and relaxation τ = 2 T ζ² of a constraint with MuJoCo's solref (T, ζ) and solimp, whose impedance
// at full depth is d, and with the mobility A = J M⁻¹ Jᵀ along its row. The constraint pushes back like a spring of stiffness 1/ε and a damper
// of τ/ε.
struct Softness {
  double compliance = 0, relaxation = 0;
  double stiffness() const { return 1 / compliance; }
  double damping() const { return relaxation / compliance; }
};
Softness softness_of(const std::vector<double>& solref, const std::vector<double>& solimp, double A, double timestep);

class Reader {
 public:
  Reader(const XmlTree& tree, const std::filesystem::path& folder, const ImportOptions& options)
      : tree_(tree), folder_(folder), options_(options), ledger_(tree, mjcf_format()) {}
  BuiltRobot read();

 private:
  // An element and the defaults that hold for it.
  struct Item {
    const XmlNode* node;
    const Class* defaults;
    const std::string* find(std::string_view attribute) const;
    const std::map<std::string, std::string>* of_class() const;
  };

  void read_compiler();
  void read_option();
  void read_defaults(const XmlNode& node, const Class& parent, bool top);
  void read_assets();
  Item item(const XmlNode& node, const Class* around) const;
  const Class* class_named(const XmlNode& node, const std::string& name) const;

  double number(const Item& item, std::string_view attribute, double otherwise) const;
  int integer(const Item& item, std::string_view attribute, int otherwise) const;
  std::string word(const Item& item, std::string_view attribute, std::string_view otherwise) const;
  Vec3 three(const Item& item, std::string_view attribute, const Vec3& otherwise) const;
  Quat orientation(const Item& item) const;
  std::optional<Quat> orientation_in(const XmlNode& node, const std::map<std::string, std::string>* attributes) const;
  Pose pose(const Item& item) const { return {three(item, "pos", {}), orientation(item)}; }
  Quat from_euler(const XmlNode& node, const Vec3& angles) const;
  // What the compiler element of the model says that the node was written in: an attached model keeps its own.
  const Compiler& compiler(const XmlNode& node) const { return preamble_.compilers[tree_.model_of(node)]; }
  double angle(const XmlNode& node, double x) const { return compiler(node).degrees ? x * 0.017453292519943295 : x; }
  // Whether a range holds: `limited`, or, with autolimits, that a range is given and is not empty.
  bool is_limited(const Item& item, std::string_view limited, std::string_view range) const;

  // mjcf_bodies.cpp
  struct Around {
    int body;
    Pose frame;  // of `frame` and `replicate` elements since the body
    const Class* defaults;
    std::string suffix;
  };
  void read_children(const XmlNode& node, const Around& around);
  void read_child(const XmlNode& node, const Around& around);
  void read_body(const XmlNode& node, const Around& around);
  void read_volume(const Item& here, RobotSite& site);
  void replicate(const XmlNode& node, const Around& around);
  void read_joint(const XmlNode& node, const Around& around);
  void join_slides(RobotBody& body);
  bool takes_along(int index) const;
  void read_inertial(const XmlNode& node, int body);
  void settle_inertias();
  void settle_spring_dampers();
  void soften_limits();
  std::string name_of(const Item& item, const Around& around);
  const XmlNode& with_replicas(const XmlNode& section);

  // mjcf_geoms.cpp
  void read_geom(const XmlNode& node, const Around& around);
  std::optional<Geometry> geometry_of(const Item& item, const std::string& type, const std::vector<double>& size,
                                      bool collides, Pose& pose, MassProperties& unit);
  std::optional<Geometry> primitive(const Item& item, const std::string& type, const std::vector<double>& size,
                                    MassProperties& unit);
  std::optional<Geometry> mesh_geometry(const Item& item, bool collides, MassProperties& unit);
  std::optional<std::vector<double>> fit_to_mesh(const Item& item, const std::string& type, bool collides, Pose& pose);
  const MeshAsset& mesh_of(const Item& item);
  bool is_missing(const Item& item, const MeshAsset& asset, bool collides);
  int material_of(const Item& item, const std::string& name);
  Mesh height_field(const Item& item);
  std::string missing_heights(const Item& item) const;
  const MeshAsset& mesh_asset(const Item& item, const std::string& name);
  void load_mesh_asset(const Item& item, MeshAsset& asset);

  // mjcf_constraints.cpp and mjcf_tendons.cpp
  void read_contact(const XmlNode& section);
  void read_equality(const XmlNode& section);
  void read_connect(const XmlNode& node);
  void read_weld(const XmlNode& node);
  void weld_frames(const XmlNode& node, BodyId a, const Pose& on_a, BodyId b, const Pose& on_b);
  void soften(const XmlNode& node, BodyId a, BodyId b, const Vec3& point, JointSpec& spec);
  std::string equality_default(const Item& here, const char* attribute, const char* otherwise) const;
  void read_coupling(const XmlNode& node, bool tendons);
  void read_tendons(const XmlNode& section);
  void read_terms(const XmlNode& node, Tendon& tendon);
  void read_path(const XmlNode& node, Tendon& tendon);
  void wrap_piece(const XmlNode& geom, Tendon::Piece& piece);
  void settle_tendon(const Item& here, Tendon& tendon);
  void hang_rope(const XmlNode& node, Tendon& tendon);
  void settle_rest(const Item& here, Tendon& tendon);
  double spring_length(const Tendon& tendon);
  double path_length(const Tendon& tendon, const std::vector<BodyState>& bodies) const;
  int carried_by(BodyId body) const;  // a RobotBody that it carries
  std::vector<std::pair<int, double>> rates_of(const Tendon& tendon, double gear);
  double inertia_along(const Tendon& tendon, double gear) { return reference_inertia().along(rates_of(tendon, gear)); }

  // mjcf_softness.cpp
  void note_softness(const Item& here, int body, std::size_t shape);
  void soften_contacts();
  void soften_pair(const Item& here, const ContactPair& pair, Material& material);
  double mobility_of(BodyId body);
  void read_keyframes(const XmlNode& section);
  void place_mocaps(const XmlNode& node, Keyframe& key);
  void read_sensors(const XmlNode& section);
  void note_sensor(const XmlNode& node, const Sensor& sensor);
  int body_named(const XmlNode& node, std::string_view attribute, bool world_otherwise = false) const;
  const FileJoint& joint_named(const XmlNode& node, std::string_view attribute, const std::string& name) const;
  const Site& site_named(const XmlNode& node, std::string_view attribute) const;
  void add_joint(const XmlNode& node, const JointSpec& spec, BodyId a, BodyId b);
  std::string free_joint_name(const XmlNode& node, const char* otherwise) const;
  bool adds_to_coupling(const FileJoint& joint, const std::array<double, 5>& p);
  CoordinateTerm term(const FileJoint& joint, const std::array<double, 5>& polynomial) const;

  // mjcf_actuators.cpp
  void apply_actuator(const XmlNode& node, ActuatorParams& params) const;
  void apply_general(const XmlNode& node, ActuatorParams& params) const;
  void read_actuators(const XmlNode& section);
  void read_actuator(const XmlNode& node);
  std::string find_transmission(const XmlNode& node, ActuatorParams& params);
  void inherit_range(const XmlNode& node, ActuatorParams& params);
  void damp(const XmlNode& node, ActuatorParams& params);
  std::vector<std::pair<int, double>> rates_of(const Control& control);
  // mjcf_muscles.cpp
  void apply_muscle(const XmlNode& node, ActuatorParams& params) const;
  void apply_muscle_curves(const std::vector<double>& prm, ActuatorParams& params) const;
  void settle_muscle(const XmlNode& node, ActuatorParams& params);
  std::array<double, 2> range_of_lengths(const XmlNode& node, const Control& control);
  bool map_actuator(ActuatorParams& params);
  void bound_at_joint(Control& control) const;
  const ReferenceInertia& reference_inertia();

  // What stands before the bodies.
  struct Preamble {
    std::vector<Compiler> compilers;  // by model: of the file itself first
    Options option;
    std::map<std::string, Class> classes;
  };
  struct Assets {
    std::map<std::string, MeshAsset> meshes;
    std::map<std::string, const XmlNode*> height_fields;
    std::map<std::string, std::array<float, 4>> colors;  // of materials
  };
  struct Names {
    std::map<std::string, int> bodies;
    std::map<std::string, GeomRef> geoms;
    std::map<std::string, int> tendons;
  };
  struct Replicas {
    std::map<std::string, std::set<std::string>> suffixes;  // that names in replicas were given
    std::size_t made = 0;                                   // elements read because of `replicate`
    std::deque<XmlNode> sections;                           // with what refers to them
  };
  struct ContactSoftness {
    const XmlNode* node;
    std::vector<double> reference, impedance;  // solref, solimp
  };
  // What is said of a body where it is read, and settled when all of them are there.
  struct BodyNotes {
    std::vector<char> has_inertial;          // by body
    std::vector<MassProperties> from_geoms;  // by body
    std::vector<double> gravity_compensation;
    // By RobotBody and its shape, under --softness mujoco.
    std::map<std::pair<int, std::size_t>, ContactSoftness> soft_contacts;
  };
  // The same of a joint.
  struct JointNotes {
    std::map<std::string, std::pair<double, double>> force_range;
    std::map<std::pair<JointId, int>, JointId> couplings;  // of coordinates that two slides of the file make up
    std::map<const XmlNode*, std::pair<double, double>> spring_dampers;  // time constant, damping ratio
    // solreflimit and solimplimit, under --softness mujoco.
    std::map<const XmlNode*, std::pair<std::vector<double>, std::vector<double>>> soft_limits;
  };
  // What is found of the built robot when it is first asked for.
  struct Reference {
    std::vector<BodyState> spring_pose;  // where the springs of the joints rest
    std::optional<ReferenceInertia> inertia;
  };

  const XmlTree& tree_;
  std::filesystem::path folder_;
  const ImportOptions& options_;
  LedgerWriter ledger_;
  Preamble preamble_;
  Assets assets_;
  Names names_;
  Replicas replicas_;
  Robot robot_;
  BodyNotes body_notes_;
  JointNotes joint_notes_;
  std::vector<int> activations_;  // of every control: how many the file counts, also where it is not modelled
  BuiltRobot built_;
  Reference reference_;
  Warnings warnings_;
};

}  // namespace catena::mjcf
