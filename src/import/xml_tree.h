// XML as a plain tree with places, files included. pugixml reads it; entities of its own are refused, depth and size are bounded.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

struct XmlNode {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlNode> children;
  std::string text;  // what stands between its tags, without children
  int file = 0;      // index into XmlTree::files
  int line = 1, column = 1;

  // The value of an attribute, or nullptr.
  const std::string* find(std::string_view attribute) const;
  const XmlNode* child(std::string_view name) const;  // the first of that name, or nullptr
};

struct XmlTree {
  XmlNode root;
  std::vector<std::string> files;  // the file itself first
  std::string source;              // its text
  // Of every file: 0, or the number of the attached model it belongs to. Shorter: 0.
  std::vector<std::size_t> models{};
  std::size_t model_of(const XmlNode& node) const {
    const auto file = static_cast<std::size_t>(node.file);
    return file < models.size() ? models[file] : 0;
  }

  std::string where(const XmlNode& node) const;  // "file:line:column: "
};

struct XmlLimits {
  std::size_t bytes = 64u << 20;  // of a file
  std::size_t nodes = 2'000'000;  // of everything
  int depth = 256;
  int includes = 1000;
};

// Reads a file. Where `include` is a name, elements of that name with an attribute `file` are replaced by the children of the root of that
// file, looked for beside the first one, then beside the one that includes it. Throws InputError.
XmlTree load_xml(const std::filesystem::path& file, std::string_view include = {}, const XmlLimits& limits = {});
XmlTree parse_xml(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                  std::string_view include = {}, const XmlLimits& limits = {});

[[noreturn]] void fail(const XmlTree& tree, const XmlNode& node, const std::string& message);

}  // namespace catena
