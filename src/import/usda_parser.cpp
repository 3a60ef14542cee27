// USD text into a tree, in one pass.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "catena/import/usda.h"
#include "catena/model/error.h"

namespace catena {
namespace {

constexpr int kMostDepth = 200;
constexpr std::size_t kMostBytes = 64u << 20, kMostPrims = 1'000'000, kMostProperties = 2000;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  XmlTree parse() {
    if (text_.size() > kMostBytes)
      throw InputError{fmt::format("{}: has {} bytes; a model may have {}", name_, text_.size(), kMostBytes)};
    if (!text_.starts_with("#usda"))
      throw InputError{fmt::format("{}:1:1: does not begin with #usda; USD is read as text alone", name_)};
    XmlTree tree;
    tree.files = {name_};
    tree.source = text_;
    tree.root.name = "usda";
    blank();
    if (peek() == '(') metadata(tree.root);
    for (blank(); at_ < text_.size(); blank()) item(tree.root, "", 0);
    return tree;
  }

 private:
  [[noreturn]] void complain(const std::string& what) const {
    throw InputError{fmt::format("{}:{}:{}: {}", name_, line_, column(), what)};
  }

  int column() const {
    const std::size_t end = at_ == 0 ? std::string_view::npos : std::string_view(text_).rfind('\n', at_ - 1);
    return static_cast<int>(end == std::string_view::npos ? at_ + 1 : at_ - end);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char take() {
    if (at_ >= text_.size()) complain("the file ends too early");
    if (text_[at_] == '\n') ++line_;
    return text_[at_++];
  }
  void blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';') {
        take();
      } else {
        return;
      }
    }
  }
  void need(char c) {
    blank();
    if (peek() != c) complain(fmt::format("'{}' is expected, not '{}'", c, peek()));
    take();
  }

  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':' || c == '.' || c == '-' || c == '+';
  }
  std::string word() {
    blank();
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    if (begin == at_) complain(fmt::format("a word is expected, not '{}'", peek()));
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    blank();
    const char quote = take();
    const std::string_view three = text_.substr(at_ - 1, 3);
    if (three.size() == 3 && three[1] == quote && three[2] == quote) {
      at_ += 2;
      const std::size_t end = text_.find(three, at_);
      if (end == std::string_view::npos) complain("a text in three quotes has no end");
      std::string out(text_.substr(at_, end - at_));
      line_ += static_cast<int>(std::count(out.begin(), out.end(), '\n'));
      at_ = end + 3;
      return out;
    }
    std::string out;
    for (char c = take(); c != quote; c = take()) out += c == '\\' ? take() : c;
    return out;
  }

  std::string until(char end) {
    take();
    std::string out;
    for (char c = take(); c != end; c = take()) out += c;
    return out;
  }

  // A value with its brackets taken away: words separated by blanks.
  void value(std::string& out, int depth) {
    if (depth > kMostDepth) complain(fmt::format("values are nested more than {} deep", kMostDepth));
    blank();
    const char c = peek();
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : " ") + text; };
    if (c == '"' || c == '\'') return add(quoted());
    if (c == '<') return add(until('>'));
    if (c == '@') {
      add(until('@'));
      blank();
      if (peek() == '<') add(until('>'));
      return;
    }
    if (c == '(' || c == '[' || c == '{') {
      const char end = c == '(' ? ')' : c == '[' ? ']' : '}';
      take();
      for (blank(); peek() != end; blank()) {
        if (peek() == ',' || peek() == ':' || peek() == '=') take();
        else value(out, depth + 1);
      }
      take();
      return;
    }
    const std::string own = word();
    add(own == "true" ? "1" : own == "false" ? "0" : own);
  }

  // ( key = value … ), of which apiSchemas and the units are kept.
  void metadata(XmlNode& node) {
    need('(');
    for (blank(); peek() != ')'; blank()) {
      if (peek() == '"' || peek() == '\'') {
        quoted();
        continue;
      }
      std::string key = word();
      blank();
      while (peek() != '=' && peek() != ')' && peek() != '\n') {
        key = word();  // "prepend apiSchemas"
        blank();
      }
      if (peek() != '=') continue;
      take();
      std::string text;
      value(text, 0);
      if (key == "doc" || key == "customData" || key == "assetInfo" || key == "kind" || key == "defaultPrim") continue;
      put(node, key, text);
    }
    take();
  }

  void put(XmlNode& node, const std::string& key, const std::string& text) const {
    if (node.attributes.size() > kMostProperties)
      complain(fmt::format("a prim has more than {} properties", kMostProperties));
    for (auto& [name, value] : node.attributes)
      if (name == key) {
        value = text;
        return;
      }
    node.attributes.emplace_back(key, text);
  }

  void item(XmlNode& parent, const std::string& path, int depth) {
    const std::pair<int, int> place{line_, column()};
    const std::string first = word();
    if (first == "def" || first == "over" || first == "class") return prim(parent, path, depth, place);
    if (first == "variantSet") {
      quoted();
      need('=');
      put(parent, "variantSet", "");
      skip_block();
      return;
    }
    property(parent, first);
  }

  // { … } of variants, which are not followed.
  void skip_block() {
    need('{');
    int open = 1;
    while (open > 0) {
      blank();
      const char c = peek();
      if (c == '"' || c == '\'') quoted();
      else if (take() == '{') ++open;
      else if (c == '}') --open;
    }
  }

  void prim(XmlNode& parent, const std::string& path, int depth, std::pair<int, int> place) {
    if (depth > kMostDepth) complain(fmt::format("prims are nested more than {} deep", kMostDepth));
    if (++prims_ > kMostPrims) complain(fmt::format("more than {} prims", kMostPrims));
    XmlNode node;
    std::tie(node.line, node.column) = place;
    blank();
    node.name = peek() == '"' ? "prim" : word();
    blank();
    if (peek() != '"') complain("the name of the prim is expected, in quotes");
    const std::string name = quoted(), whole = path + "/" + name;
    node.attributes = {{"name", name}, {"path", whole}};
    blank();
    if (peek() == '(') metadata(node);
    need('{');
    for (blank(); peek() != '}'; blank()) item(node, whole, depth + 1);
    take();
    parent.children.push_back(std::move(node));
  }

  // [custom] [uniform] [prepend] type[] name [= value] [( metadata )]
  void property(XmlNode& node, std::string type) {
    while (type == "custom" || type == "uniform" || type == "varying" || type == "prepend" || type == "append" ||
           type == "add" || type == "delete" || type == "config")
      type = word();
    if (type == "reorder") type = word();
    blank();
    if (peek() == '[') {
      take();
      need(']');
    }
    std::string key = word();
    blank();
    std::string text;
    if (peek() == '=') {
      take();
      value(text, 0);
      put(node, key, text);
    }
    blank();
    if (peek() == '(') {
      XmlNode ignored;
      metadata(ignored);
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0, prims_ = 0;
  int line_ = 1;
};

}  // namespace

XmlTree parse_usda(std::string_view text, const std::string& name) { return Parser(text, name).parse(); }

}  // namespace catena
