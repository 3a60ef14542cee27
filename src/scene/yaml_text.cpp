// yaml-cpp's events become a tree of Values: smaller than its own nodes, and every key keeps its place.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <optional>
#include <streambuf>
#include <unordered_map>

#include "catena/scene/value.h"

namespace catena {
namespace {

// Values that aliases may unfold to, and anchors be kept for: so many, and one more for every two bytes of the text. A value takes about
// 150 bytes.
constexpr std::size_t kAliasedAnyway = 100'000;

// Whether the bytes are UTF-8: no stray or missing continuation bytes, no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U; };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (length == 0) return false;
    unsigned code = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      if (byte(k) >> 6 != 2) return false;
      code = (code << 6) | (byte(k) & 0x3FU);
    }
    constexpr unsigned kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    i += length;
  }
  return true;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, std::size_t bytes) : source_(source), most_aliased_(kAliasedAnyway + bytes / 2) {}

  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Value value = make(Value::Kind::null, mark);
    // yaml-cpp places what is missing after it; the key is where one looks for it.
    if (!open_.empty() && open_.back().key) value.at = open_.back().key->at;
    add(std::move(value), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) fail(place(mark), "the alias stands inside what it names; name something complete");
    count_copy(found->second, place(mark));
    add(found->second, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& text) override {
    Value value = make(Value::Kind::scalar, mark);
    if (!is_utf8(text)) fail(value.at, "here are bytes that are not UTF-8; save the file as UTF-8");
    value.text = text;
    add(std::move(value), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value::Kind::map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor;
    std::optional<Key> key{};                      // of a map, when its value comes next
    std::unordered_map<std::string, int> lines{};  // of the keys so far
  };

  Position place(const YAML::Mark& mark) const { return {&source_, mark.line + 1, mark.column + 1}; }

  Value make(Value::Kind kind, const YAML::Mark& mark) const {
    Value value;
    value.kind = kind;
    value.at = place(mark);
    return value;
  }

  void open(Value::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    open_.push_back({make(kind, mark), anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.value), done.anchor);
  }

  void add(Value value, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count_copy(value, value.at);
      anchored_[anchor] = value;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.is_map() && !parent.key) return take_key(parent, value);
    if (parent.value.is_map()) {
      parent.value.keys.push_back(std::move(*parent.key));
      parent.key.reset();
    }
    parent.value.items.push_back(std::move(value));
  }

  static void take_key(Open& parent, Value& value) {
    if (!value.is_scalar()) fail(value.at, fmt::format("a key must be a plain word, not {}", value.describe()));
    const auto [old, added] = parent.lines.emplace(value.text, value.at.line);
    if (!added)
      fail(value.at, fmt::format("key '{}' is given twice, first on line {}; remove one", value.text, old->second));
    parent.key = Key{std::move(value.text), value.at};
  }

  // Anchors inside anchors, and aliases of aliases, would fill any memory.
  void count_copy(const Value& value, const Position& at) {
    aliased_ += size_of(value);
    if (aliased_ > most_aliased_)
      fail(at, fmt::format("anchors and aliases unfold to more than {} values; use repeat:", most_aliased_));
  }

  static std::size_t size_of(const Value& value) {
    std::size_t size = 1;
    for (const Value& item : value.items) size += size_of(item);
    return size;
  }

  const Source& source_;
  Value root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Value> anchored_;
  std::size_t most_aliased_, aliased_ = 0;
};

// A stream over text that is not copied.
struct TextBuffer : std::streambuf {
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

Value parse_yaml(std::string_view text, const Source& source) {
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  TreeBuilder builder(source, text.size());
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    Value root = builder.take();
    if (root.at.source == nullptr) root.at = {&source, 1, 1};
    if (parser.HandleNextDocument(builder))
      fail(builder.take().at, "a second document begins here; a scene is one document");
    return root;
  } catch (const YAML::Exception& error) {
    fail({&source, error.mark.line + 1, error.mark.column + 1}, fmt::format("this is not YAML: {}", error.msg));
  }
}

}  // namespace catena
