// MJCF: `attach` brings a body of another file under a body or frame of this one, names with a prefix.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "catena/import/mjcf.h"

namespace catena {

bool refers_in_mjcf(std::string_view attribute) {
  static const std::set<std::string_view> all = {
      "joint",   "joint1",  "joint2",        "site",    "site1",     "site2",      "body",     "body1",
      "body2",   "geom",    "geom1",         "geom2",   "tendon",    "tendon1",    "tendon2",  "actuator",
      "objname", "refname", "jointinparent", "refsite", "cranksite", "slidersite", "sidesite", "subtree"};
  return all.contains(attribute);
}

namespace {

// Attributes that are, or refer to, names.
bool names_something(std::string_view attribute) {
  return attribute == "name" || attribute == "class" || attribute == "childclass" || attribute == "mesh" ||
         attribute == "material" || attribute == "hfield" || refers_in_mjcf(attribute);
}

// Names of everything in a body.
void collect_names(const XmlNode& node, std::set<std::string>& names) {
  if (const std::string* name = node.find("name")) names.insert(*name);
  for (const XmlNode& child : node.children) collect_names(child, names);
}

// Whether an element and those in it refer to these names alone.
bool is_about(const XmlNode& node, const std::set<std::string>& names) {
  for (const auto& [key, value] : node.attributes)
    if (refers_in_mjcf(key) && !names.contains(value)) return false;
  return std::all_of(node.children.begin(), node.children.end(),
                     [&](const XmlNode& child) { return is_about(child, names); });
}

void prefix_names(XmlNode& node, const std::string& prefix, int first_file) {
  node.file += first_file;
  for (auto& [key, value] : node.attributes)
    if (names_something(key) && !(node.name == "default" && key == "class" && value.empty())) value.insert(0, prefix);
  for (XmlNode& child : node.children) prefix_names(child, prefix, first_file);
}

const XmlNode* find_body(const XmlNode& node, const std::string& name) {
  for (const XmlNode& child : node.children) {
    if (child.name == "body" && child.find("name") && *child.find("name") == name) return &child;
    if (const XmlNode* found = find_body(child, name)) return found;
  }
  return nullptr;
}

std::string attribute(const XmlNode& node, std::string_view name) {
  const std::string* text = node.find(name);
  return text ? *text : "";
}

constexpr int kDeepest = 20;  // models attached by models attached by …

class Attachments {
 public:
  Attachments(XmlTree& tree, const std::filesystem::path& folder, int depth)
      : tree_(tree), folder_(folder), depth_(depth) {
    for (const XmlNode& section : tree.root.children)
      if (section.name == "asset")
        for (const XmlNode& node : section.children)
          if (node.name == "model" && node.find("file")) models_[name_of(node)] = attribute(node, "file");
  }

  void expand() {
    walk(tree_.root);
    // Defaults before all that uses them, assets beside the others.
    tree_.root.children.insert(tree_.root.children.begin(), std::make_move_iterator(sections_.begin()),
                               std::make_move_iterator(sections_.end()));
    tree_.root.children.insert(tree_.root.children.end(), std::make_move_iterator(later_.begin()),
                               std::make_move_iterator(later_.end()));
  }

 private:
  // Its own, or that of the model in the file.
  std::string name_of(const XmlNode& node) const {
    if (node.find("name") != nullptr) return attribute(node, "name");
    return attribute(load_xml(folder_ / attribute(node, "file"), "include").root, "model");
  }

  void walk(XmlNode& node) {
    for (XmlNode& child : node.children) {
      if (child.name == "attach") take(child);
      else walk(child);
    }
  }

  // The element becomes a frame around the body, with the other file's defaults.
  void take(XmlNode& node) {
    const std::string model = attribute(node, "model"), name = attribute(node, "body"),
                      prefix = attribute(node, "prefix");
    const auto found = models_.find(model);
    if (found == models_.end()) fail(tree_, node, fmt::format("model: there is no model '{}' among the assets", model));
    XmlTree other = load_xml(folder_ / found->second, "include");
    if (depth_ == kDeepest) fail(tree_, node, "attached models attach each other without end");
    left_out += expand_attachments(other, (folder_ / found->second).parent_path(), depth_ + 1);
    // Once a file and prefix: replicas share them.
    const auto [place, fresh] = taken_.emplace(found->second + "\n" + prefix, static_cast<int>(tree_.files.size()));
    const int first = place->second;
    std::vector<XmlNode> parts = parts_of(other, name);
    if (parts.empty()) fail(tree_, node, fmt::format("body: there is no body '{}' in '{}'", name, found->second));
    for (XmlNode& part : parts) prefix_names(part, prefix, first);
    node.name = "frame";
    node.attributes = {{"childclass", prefix + "main"}};
    node.children = std::move(parts);
    if (!fresh) return;
    add_files(other);
    XmlNode top{.name = "default", .attributes = {}, .children = {}, .text = {}, .file = node.file, .line = node.line};
    XmlNode inside{
        .name = "default", .attributes = {{"class", "main"}}, .children = {}, .text = {}, .file = 0, .line = 1};
    for (XmlNode& section : other.root.children) {
      if (section.name == "default")
        for (XmlNode& child : section.children) inside.children.push_back(std::move(child));
      if (section.name == "asset" || section.name == "compiler") {
        for (XmlNode& asset : section.children) name_by_file(asset);
        prefix_names(section, prefix, first);
        sections_.push_back(std::move(section));
      }
    }
    std::set<std::string> names;
    for (const XmlNode& part : node.children) collect_names(part, names);
    for (const char* kind : {"tendon", "actuator", "equality", "contact", "sensor"})
      for (XmlNode& section : other.root.children)
        if (section.name == kind) take_section(section, prefix, first, names);
    prefix_names(inside, prefix, first);
    top.children.push_back(std::move(inside));
    sections_.insert(sections_.begin(), std::move(top));
  }

  // Meshes and height fields without a name have that of their file.
  static void name_by_file(XmlNode& asset) {
    if (asset.find("name") != nullptr || asset.find("file") == nullptr) return;
    asset.attributes.emplace_back("name", std::filesystem::path(*asset.find("file")).stem().string());
  }

  // Of a section, what is about the attached body; tendons and actuators taken may be referred to by what follows.
  void take_section(XmlNode& section, const std::string& prefix, int first, std::set<std::string>& names) {
    prefix_names(section, prefix, first);
    std::vector<XmlNode> kept;
    for (XmlNode& element : section.children) {
      if (is_about(element, names)) {
        if (const std::string* name = element.find("name")) names.insert(*name);
        kept.push_back(std::move(element));
      } else {
        left_out += fmt::format("{}{} at line {}", left_out.empty() ? "" : ", ", element.name, element.line);
      }
    }
    section.children = std::move(kept);
    later_.push_back(std::move(section));
  }

  // The body of that name; without a name all that stands in the world.
  static std::vector<XmlNode> parts_of(const XmlTree& other, const std::string& name) {
    std::vector<XmlNode> out;
    for (const XmlNode& section : other.root.children) {
      if (section.name != "worldbody") continue;
      if (name.empty()) out.insert(out.end(), section.children.begin(), section.children.end());
      else if (const XmlNode* body = find_body(section, name); body != nullptr && out.empty()) out.push_back(*body);
    }
    return out;
  }

  // Its models come behind those that are there.
  void add_files(const XmlTree& other) {
    const std::size_t next = tree_.models.empty() ? 1 : *std::max_element(tree_.models.begin(), tree_.models.end()) + 1;
    tree_.models.resize(tree_.files.size());
    tree_.files.insert(tree_.files.end(), other.files.begin(), other.files.end());
    for (std::size_t i = 0; i < other.files.size(); ++i)
      tree_.models.push_back(next + (i < other.models.size() ? other.models[i] : 0));
  }

  XmlTree& tree_;
  std::filesystem::path folder_;
  int depth_;
  std::map<std::string, std::string> models_;
  std::map<std::string, int> taken_;       // files with prefixes, and where their names stand in tree_.files
  std::vector<XmlNode> sections_, later_;  // before and behind what the file itself has

 public:
  std::string left_out;  // elements of the other files that refer to what was not attached
};

bool has_attachments(const XmlNode& node) {
  return node.name == "attach" || std::any_of(node.children.begin(), node.children.end(), has_attachments);
}

}  // namespace

std::string expand_attachments(XmlTree& tree, const std::filesystem::path& folder, int depth) {
  if (!has_attachments(tree.root)) return {};
  Attachments attachments(tree, folder, depth);
  attachments.expand();
  return attachments.left_out;
}

}  // namespace catena
