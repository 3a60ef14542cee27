// SDF: models of other files.
#include <fmt/format.h>

#include <algorithm>

#include "catena/import/mesh_path.h"
#include "catena/import/sdf.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1000, kMostNodes = 2'000'000;

class Includes {
 public:
  Includes(XmlTree& tree, const ImportOptions& options) : tree_(tree), options_(options) {}

  void expand(XmlNode& node, const fs::path& folder) {
    if (++nodes_ > kMostNodes) fail(tree_, node, fmt::format("more than {} elements", kMostNodes));
    for (XmlNode& child : node.children) {
      if (child.name == "include") include(child, folder);
      else expand(child, folder);
    }
  }

 private:
  // The file a URI names: a file, or a folder with a model.sdf.
  fs::path locate(const XmlNode& node, const std::string& uri, const fs::path& folder) const {
    const std::size_t scheme = uri.find("://");
    const std::string name = scheme == std::string::npos ? uri : uri.substr(scheme + 3);
    std::error_code error;
    if (scheme != std::string::npos && !uri.starts_with("file://")) {
      const std::string inside = name.find('/') == std::string::npos ? uri + "/model.sdf" : uri;
      if (const auto found = find_mesh(inside, folder, options_.packages)) return *found;
      if (const auto found = find_mesh(uri + "/model.sdf", folder, options_.packages)) return *found;
    }
    for (const fs::path& base : {folder, folder.parent_path()})
      for (const fs::path& file : {base / name, base / name / "model.sdf", base / (name + ".sdf")})
        if (fs::is_regular_file(file, error)) return file;
    fail(tree_, node,
         fmt::format("there is no model '{}' to include; --package NAME=DIR says where model://NAME is", uri));
  }

  void include(XmlNode& node, const fs::path& folder) {
    const XmlNode* uri = node.child("uri");
    if (uri == nullptr) fail(tree_, node, "an include needs a uri");
    const std::size_t first = uri->text.find_first_not_of(" \t\r\n"), last = uri->text.find_last_not_of(" \t\r\n");
    const fs::path file =
        locate(node, first == std::string::npos ? "" : uri->text.substr(first, last - first + 1), folder);
    const std::string name = file.lexically_normal().string();
    if (std::find(open_.begin(), open_.end(), name) != open_.end())
      fail(tree_, node, fmt::format("'{}' includes itself", name));
    if (tree_.files.size() > kMostFiles) fail(tree_, node, fmt::format("more than {} files are included", kMostFiles));
    XmlTree other = load_xml(file);
    const auto found = std::find_if(other.root.children.begin(), other.root.children.end(),
                                    [](const XmlNode& n) { return n.name == "model"; });
    if (found == other.root.children.end()) fail(tree_, node, fmt::format("'{}' has no model", name));
    const int offset = static_cast<int>(tree_.files.size());
    for (const std::string& own : other.files) tree_.files.push_back(own);
    renumber(*found, offset);
    XmlNode model = std::move(*found);
    adopt(node, model);
    open_.push_back(name);
    expand(model, file.parent_path());
    open_.pop_back();
    node = std::move(model);
  }

  static void renumber(XmlNode& node, int offset) {
    node.file += offset;
    for (XmlNode& child : node.children) renumber(child, offset);
  }

  // The include's name, pose and static stand for the model's own.
  static void adopt(const XmlNode& include, XmlNode& model) {
    for (const XmlNode& child : include.children) {
      if (child.name == "name") {
        for (auto& [key, value] : model.attributes)
          if (key == "name") value = child.text;
      } else if (child.name == "pose" || child.name == "static") {
        std::erase_if(model.children, [&](const XmlNode& n) { return n.name == child.name; });
        model.children.push_back(child);
      }
    }
  }

  XmlTree& tree_;
  const ImportOptions& options_;
  std::vector<std::string> open_{};
  std::size_t nodes_ = 0;
};

}  // namespace

XmlTree expand_sdf_includes(const XmlTree& tree, const fs::path& folder, const ImportOptions& options) {
  XmlTree out = tree;
  Includes(out, options).expand(out.root, folder);
  return out;
}

}  // namespace catena
