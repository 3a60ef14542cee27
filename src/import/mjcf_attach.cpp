// MJCF: `attach` brings a body of another file under a body or frame of this one, names with a prefix.
#include <fmt/format.h>

#include <algorithm>
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
    if (names_something(key) && !(node.name == "default" && key == "class" && value.empty())) value = prefix + value;
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

class Attachments {
 public:
  Attachments(XmlTree& tree, const std::filesystem::path& folder) : tree_(tree), folder_(folder) {
    for (const XmlNode& section : tree.root.children)
      if (section.name == "asset")
        for (const XmlNode& node : section.children)
          if (node.name == "model" && node.find("file")) models_[attribute(node, "name")] = attribute(node, "file");
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
    const auto first = static_cast<int>(tree_.files.size());
    const std::string* angle = unit_of(other.root);
    const std::string* own = unit_of(tree_.root);
    if ((angle ? *angle : "degree") != (own ? *own : "degree"))
      fail(tree_, node, fmt::format("'{}' measures angles in another unit; write both files in one", found->second));
    const XmlNode* body = nullptr;
    for (const XmlNode& section : other.root.children)
      if (section.name == "worldbody" && body == nullptr) body = find_body(section, name);
    if (body == nullptr) fail(tree_, node, fmt::format("body: there is no body '{}' in '{}'", name, found->second));
    XmlNode copy = *body;
    prefix_names(copy, prefix, first);
    node.name = "frame";
    node.attributes = {{"childclass", prefix + "main"}};
    node.children = {std::move(copy)};
    // Once a file and prefix: replicas share them.
    if (!taken_.insert(found->second + "\n" + prefix).second) return;
    tree_.files.insert(tree_.files.end(), other.files.begin(), other.files.end());
    XmlNode top{.name = "default", .attributes = {}, .children = {}, .text = {}, .file = node.file, .line = node.line};
    XmlNode inside{
        .name = "default", .attributes = {{"class", "main"}}, .children = {}, .text = {}, .file = 0, .line = 1};
    for (XmlNode& section : other.root.children) {
      if (section.name == "default")
        for (XmlNode& child : section.children) inside.children.push_back(std::move(child));
      if (section.name == "asset") {
        prefix_names(section, prefix, first);
        sections_.push_back(std::move(section));
      }
    }
    std::set<std::string> names;
    collect_names(node.children.front(), names);
    for (const char* kind : {"tendon", "actuator", "equality", "contact", "sensor"})
      for (XmlNode& section : other.root.children)
        if (section.name == kind) take_section(section, prefix, first, names);
    prefix_names(inside, prefix, first);
    top.children.push_back(std::move(inside));
    sections_.insert(sections_.begin(), std::move(top));
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

  static const std::string* unit_of(const XmlNode& root) {
    const std::string* out = nullptr;
    for (const XmlNode& section : root.children)
      if (section.name == "compiler" && section.find("angle")) out = section.find("angle");
    return out;
  }

  XmlTree& tree_;
  std::filesystem::path folder_;
  std::map<std::string, std::string> models_;
  std::set<std::string> taken_;
  std::vector<XmlNode> sections_, later_;  // before and behind what the file itself has

 public:
  std::string left_out;  // elements of the other files that refer to what was not attached
};

bool has_attachments(const XmlNode& node) {
  return node.name == "attach" || std::any_of(node.children.begin(), node.children.end(), has_attachments);
}

}  // namespace

std::string expand_attachments(XmlTree& tree, const std::filesystem::path& folder) {
  if (!has_attachments(tree.root)) return {};
  Attachments attachments(tree, folder);
  attachments.expand();
  return attachments.left_out;
}

}  // namespace catena
