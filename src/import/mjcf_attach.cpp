// MJCF: `attach` brings a body of another file under a body or frame of this one, names with a prefix.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catena/import/mjcf.h"

namespace catena {
namespace {

// Attributes that are, or refer to, names.
bool names_something(std::string_view attribute) {
  static const std::set<std::string_view> all = {"name",     "class", "childclass", "joint", "site",  "mesh",
                                                 "material", "body1", "body2",      "geom1", "geom2", "hfield"};
  return all.contains(attribute);
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
      } else if (section.name == "actuator" || section.name == "tendon" || section.name == "equality" ||
                 section.name == "contact" || section.name == "sensor") {
        left_out += (left_out.empty() ? "" : ", ") + section.name;
      }
    }
    prefix_names(inside, prefix, first);
    top.children.push_back(std::move(inside));
    sections_.insert(sections_.begin(), std::move(top));
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
  std::vector<XmlNode> sections_;

 public:
  std::string left_out;  // sections of the other files that were not taken
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
