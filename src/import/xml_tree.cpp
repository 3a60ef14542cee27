#include "catena/import/xml_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <pugixml.hpp>

#include "catena/model/error.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

// Line and column by offset.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') ends_.push_back(static_cast<std::ptrdiff_t>(i));
  }
  int at(std::ptrdiff_t offset) const {
    return static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), offset) - ends_.begin()) + 1;
  }
  int column_at(std::ptrdiff_t offset) const {
    const int line = at(offset);
    return static_cast<int>(offset - (line > 1 ? ends_[static_cast<std::size_t>(line) - 2] : -1));
  }

 private:
  std::vector<std::ptrdiff_t> ends_;
};

class Loader {
 public:
  Loader(XmlTree& tree, std::string_view include, const XmlLimits& limits)
      : tree_(tree), include_(include), limits_(limits) {}

  void load(std::string_view text, const std::string& name, const fs::path& folder, XmlNode& root) {
    const int file = static_cast<int>(tree_.files.size());
    tree_.files.push_back(name);
    check_text(text, name);
    pugi::xml_document document;
    const Lines lines(text);
    const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
    if (!result) {
      throw InputError{fmt::format("{}:{}:{}: is not well-formed XML: {}", name, lines.at(result.offset),
                                   lines.column_at(result.offset), result.description())};
    }
    const pugi::xml_node top = document.document_element();
    if (top.empty()) throw InputError{fmt::format("{}:1:1: has no element", name)};
    open_.push_back(name);
    copy(top, file, lines, folder, 1, root);
    open_.pop_back();
  }

  static std::string read(const fs::path& file, const std::string& name, const XmlLimits& limits) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) throw InputError{fmt::format("{}: there is no such file", name)};
    if (const auto size = fs::file_size(file, error); error || size > limits.bytes)
      throw InputError{fmt::format("{}: has {} bytes; a model may have {}", name, size, limits.bytes)};
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw InputError{fmt::format("{}: cannot be read", name)};
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  // Entities can make a short text very long, and depth can exhaust a stack: both are refused before anything is built.
  void check_text(std::string_view text, const std::string& name) const {
    if (text.size() > limits_.bytes)
      throw InputError{fmt::format("{}: has {} bytes; a model may have {}", name, text.size(), limits_.bytes)};
    if (text.find("<!ENTITY") != std::string_view::npos || text.find("<!DOCTYPE") != std::string_view::npos)
      throw InputError{
          fmt::format("{}:1:1: document types and entities of its own are not read; write the text out", name)};
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '<' || i + 1 == text.size()) continue;
      if (text.substr(i, 4) == "<!--") {
        i = std::min(text.find("-->", i), text.size());
      } else if (text.substr(i, 9) == "<![CDATA[") {
        i = std::min(text.find("]]>", i), text.size());
      } else if (text[i + 1] == '/') {
        --depth;
      } else if (text[i + 1] != '?' && text[i + 1] != '!') {
        // To the end of the tag, past quoted values.
        char quote = 0;
        std::size_t j = i + 1;
        for (; j < text.size() && (quote != 0 || text[j] != '>'); ++j) {
          if (quote != 0) quote = text[j] == quote ? '\0' : quote;
          else if (text[j] == '"' || text[j] == '\'') quote = text[j];
        }
        if (j == text.size() || text[j - 1] != '/') ++depth;
        i = j;
      }
      if (depth > limits_.depth)
        throw InputError{fmt::format(
            "{}:{}: elements are nested more than {} deep", name,
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(i, text.size())), '\n'),
            limits_.depth)};
    }
  }

  void copy(const pugi::xml_node& from, int file, const Lines& lines, const fs::path& folder, int depth, XmlNode& to) {
    to.name = from.name();
    to.file = file;
    to.line = lines.at(from.offset_debug());
    to.column = std::max(1, lines.column_at(from.offset_debug()) - 1);  // of its '<'
    if (++nodes_ > limits_.nodes)
      throw InputError{fmt::format("{}more than {} elements", tree_.where(to), limits_.nodes)};
    if (depth > limits_.depth)
      throw InputError{fmt::format("{}elements are nested more than {} deep", tree_.where(to), limits_.depth)};
    for (const pugi::xml_attribute& a : from.attributes()) to.attributes.emplace_back(a.name(), a.value());
    for (const pugi::xml_node& child : from.children()) {
      if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) to.text += child.value();
      if (child.type() != pugi::node_element) continue;
      XmlNode node;
      copy(child, file, lines, folder, depth + 1, node);
      if (!include_.empty() && node.name == include_ && node.find("file") != nullptr) include(node, folder, to);
      else to.children.push_back(std::move(node));
    }
  }

  // The children of the included root take the element's place.
  void include(const XmlNode& node, const fs::path& folder, XmlNode& to) {
    // Relative to the first file, or, where there is none, to the one that includes it.
    std::error_code missing;
    fs::path file = folder / *node.find("file");
    if (!fs::is_regular_file(file, missing))
      if (const fs::path beside = fs::path(open_.back()).parent_path() / *node.find("file");
          fs::is_regular_file(beside, missing))
        file = beside;
    const std::string name = file.lexically_normal().string();
    if (std::find(open_.begin(), open_.end(), name) != open_.end())
      fail(tree_, node, fmt::format("'{}' includes itself", name));
    if (++includes_ > limits_.includes)
      fail(tree_, node, fmt::format("more than {} files are included", limits_.includes));
    std::error_code error;
    if (!fs::is_regular_file(file, error)) fail(tree_, node, fmt::format("there is no file '{}' to include", name));
    XmlNode root;
    load(read(file, name, limits_), name, folder, root);
    for (XmlNode& child : root.children) to.children.push_back(std::move(child));
  }

  XmlTree& tree_;
  std::string_view include_;
  const XmlLimits& limits_;
  std::vector<std::string> open_;
  std::size_t nodes_ = 0;
  int includes_ = 0;
};

}  // namespace

const std::string* XmlNode::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

const XmlNode* XmlNode::child(std::string_view wanted) const {
  for (const XmlNode& node : children)
    if (node.name == wanted) return &node;
  return nullptr;
}

std::string XmlTree::where(const XmlNode& node) const {
  return fmt::format("{}:{}:{}: ", files[static_cast<std::size_t>(node.file)], node.line, node.column);
}

void fail(const XmlTree& tree, const XmlNode& node, const std::string& message) {
  throw InputError{tree.where(node) + message};
}

XmlTree load_xml(const fs::path& file, std::string_view include, const XmlLimits& limits) {
  const std::string text = Loader::read(file, file.string(), limits);
  return parse_xml(text, file.string(), file.parent_path(), include, limits);
}

XmlTree parse_xml(std::string_view text, const std::string& name, const fs::path& folder, std::string_view include,
                  const XmlLimits& limits) {
  XmlTree tree;
  tree.source = text;
  Loader(tree, include, limits).load(text, name, folder, tree.root);
  return tree;
}

}  // namespace catena
