#include "catena/scene/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "catena/import/text_file.h"
#include "catena/model/model.h"
#include "catena/scene/expression.h"
#include "catena/scene/fields.h"
#include "catena/scene/prefix.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

// Keys whose entries or items add up when files are merged.
constexpr std::array<std::string_view, 11> kAddUp = {"bodies",  "joints",    "materials", "forces",
                                                     "springs", "actuators", "repeat",    "include",
                                                     "sites",   "sensors",   "tendons"};

bool adds_up(std::string_view key) { return std::find(kAddUp.begin(), kAddUp.end(), key) != kAddUp.end(); }

void append(Value& to, Value from) {
  for (Key& key : from.keys) to.keys.push_back(std::move(key));
  for (Value& item : from.items) to.items.push_back(std::move(item));
}

// A generator alone is a list of one.
void make_list(Value& value) {
  if (value.is_list()) return;
  Value list;
  list.kind = Value::Kind::list;
  list.at = value.at;
  list.items.push_back(std::move(value));
  value = std::move(list);
}

// Merges `over` into `base`: named things and lists add up, other maps merge key by key, anything else is taken from `over`.
void merge(Value& base, Value over, bool top) {
  for (std::size_t i = 0; i < over.keys.size(); ++i) {
    const Key& key = over.keys[i];
    Value* old = base.find(key.text);
    if (old == nullptr) {
      base.keys.push_back(key);
      base.items.push_back(std::move(over.items[i]));
      continue;
    }
    if (top && key.text == "repeat") {
      make_list(*old);
      make_list(over.items[i]);
    }
    const bool same = old->kind == over.items[i].kind;
    if (same && ((top && adds_up(key.text)) || (key.text == "shapes" && old->is_list()))) {
      append(*old, std::move(over.items[i]));
    } else if (same && old->is_map()) {
      merge(*old, std::move(over.items[i]), false);
    } else {
      *old = std::move(over.items[i]);
    }
  }
}

// chain:, tree: and cloth: at the top are generators like those of repeat:, so that several files can each have theirs.
void move_generators(Value& root) {
  for (const std::string_view name : {"chain", "tree", "cloth"}) {
    const auto found =
        std::find_if(root.keys.begin(), root.keys.end(), [&](const Key& key) { return key.text == name; });
    if (found == root.keys.end()) continue;
    const auto index = found - root.keys.begin();
    Value generator;
    generator.kind = Value::Kind::map;
    generator.at = found->at;
    generator.set(*found, std::move(root.items[static_cast<std::size_t>(index)]));
    root.keys.erase(found);
    root.items.erase(root.items.begin() + index);
    if (Value* repeat = root.find("repeat")) {
      make_list(*repeat);
      repeat->items.push_back(std::move(generator));
    } else {
      const auto at = generator.at;
      root.set({"repeat", at}, std::move(generator));
    }
  }
}

Value parse_map(std::string_view text, const Source& source) {
  Value root = parse_yaml(text, source);
  if (root.is_null()) fail(root.at, "the file is empty; a scene has bodies: at least");
  if (!root.is_map())
    fail(root.at, fmt::format("a scene is a map with keys such as bodies: and joints:, not {}",
                              root.is_list() ? root.describe() : "a plain text"));
  return root;
}

constexpr std::size_t kDeepestInclude = 32;
constexpr std::size_t kMostIncludes = 1000;                 // in all, repeated ones counted again
constexpr std::uintmax_t kMostIncludedBytes = 256'000'000;  // in all

// The includes of one scene: those being read now, and what all of them have taken so far.
struct Includes {
  std::vector<fs::path> open;
  std::size_t count = 0;
  std::uintmax_t bytes = 0;
};

std::string read_include(const fs::path& file, const Value& item, Includes& includes) {
  if (includes.open.size() > kDeepestInclude)
    fail(item.at, fmt::format("include: files include each other more than {} deep", kDeepestInclude));
  if (++includes.count > kMostIncludes)
    fail(item.at, fmt::format("include: more than {} files are included; use repeat:", kMostIncludes));
  try {
    std::string text = read_text_file(file);
    includes.bytes += text.size();
    if (includes.bytes > kMostIncludedBytes)
      fail(item.at, fmt::format("include: more than {} MB are included", kMostIncludedBytes / 1'000'000));
    return text;
  } catch (const FileError& error) {
    fail(item.at, fmt::format("include: {}; the path is relative to the including file", error.what()));
  }
}

// A file, or {file, prefix, at, parameters}.
std::string included_name(const Value& item) {
  if (!item.is_map()) return read_text(item, "include");
  const Fields fields(item, "include", {"file", "prefix", "at", "parameters"});
  return read_text(fields.need("file", "arm.yaml"), "file");
}

// What is included with a prefix, at another place or with parameters of its own stands by itself: its parameters are known to it alone.
void make_part(Value& included, const Value& item) {
  resolve_parameters(included, item.find("parameters"));
  if (const Value* prefix = item.find("prefix")) prefix_names(included, read_text(*prefix, "prefix"));
  if (const Value* place = item.find("at")) move_part(included, *place);
}

// Replaces `include:` by what it names, each file before the one that includes it.
Value with_includes(Value root, Sources& sources, Includes& includes) {
  const Value* include = root.find("include");
  if (include == nullptr) return root;
  Value base;
  base.kind = Value::Kind::map;
  base.at = root.at;
  const Value names = *include;
  for (const Value& item : names.is_list() ? names.items : std::vector<Value>{names}) {
    const std::string name = included_name(item);
    const fs::path file = (item.at.source->folder / name).lexically_normal();
    std::error_code unknown;
    const fs::path real = fs::weakly_canonical(file, unknown);
    if (std::find(includes.open.begin(), includes.open.end(), real) != includes.open.end()) {
      fail(item.at, fmt::format("include: '{}' includes itself, directly or by another file; break the circle", name));
    }
    const std::string text = read_include(file, item, includes);
    sources.push_back({file.string(), file.parent_path()});
    includes.open.push_back(real);
    Value included = parse_map(text, sources.back());
    move_generators(included);
    included = with_includes(std::move(included), sources, includes);
    if (item.is_map()) make_part(included, item);
    merge(base, std::move(included), true);
    includes.open.pop_back();
  }
  const auto at =
      std::find_if(root.keys.begin(), root.keys.end(), [](const Key& key) { return key.text == "include"; });
  root.items.erase(root.items.begin() + (at - root.keys.begin()));
  root.keys.erase(at);
  merge(base, std::move(root), true);
  return base;
}

constexpr std::size_t kLongestPath = 32;

struct Override {
  std::vector<std::string> path;
  Value value;
  const Source* source;
};

Override parse_override(const std::string& text, const Source& source) {
  const std::size_t equals = text.find('=');
  const Position at{&source, 0, 0};
  if (equals == std::string::npos || equals == 0) fail(at, "an assignment a.b.c=VALUE is expected");
  Override out{{}, {}, &source};
  std::string_view rest = std::string_view(text).substr(0, equals);
  while (true) {
    const std::size_t dot = rest.find('.');
    out.path.emplace_back(rest.substr(0, dot));
    if (out.path.back().empty()) fail(at, "the path before '=' has an empty part; write a.b.c=VALUE");
    if (dot == std::string_view::npos) break;
    if (out.path.size() >= kLongestPath)
      fail(at, fmt::format("the path before '=' has more than {} parts", kLongestPath));
    rest.remove_prefix(dot + 1);
  }
  out.value = parse_yaml(std::string_view(text).substr(equals + 1), source);
  return out;
}

Value& list_item(Value& list, const std::string& word, const Position& at) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (error != std::errc{} || end != word.data() + word.size() || index > list.items.size()) {
    fail(at, fmt::format("'{}' is not an index of a list of {}; 0 is the first, {} adds one", word, list.items.size(),
                         list.items.size()));
  }
  if (index == list.items.size()) list.items.emplace_back().at = at;
  return list.items[index];
}

void assign(Value& root, const Override& override) {
  const Position at{override.source, 0, 0};
  Value* here = &root;
  for (std::size_t i = 0; i < override.path.size(); ++i) {
    const std::string& word = override.path[i];
    const bool last = i + 1 == override.path.size();
    // What is not there yet becomes a list where an index is asked of it, else a map.
    const bool index = word.find_first_not_of("0123456789") == std::string::npos;
    if (here->is_null()) here->kind = index ? Value::Kind::list : Value::Kind::map;
    if (here->is_list()) {
      here = &list_item(*here, word, at);
      continue;
    }
    if (!here->is_map())
      fail(at, fmt::format("'{}' is {} and has nothing inside", override.path[i - 1], here->describe()));
    if (here->find(word) == nullptr) {
      const bool named =
          i == 1 && (override.path[0] == "bodies" || override.path[0] == "joints" || override.path[0] == "materials");
      if (named && !last) {
        std::vector<std::string> known;
        for (const Key& key : here->keys) known.push_back(key.text);
        const std::string near = nearest(word, known);
        fail(at, fmt::format("{} has no '{}'; {}", override.path[0], word,
                             near.empty() ? "name one that is written there" : "the nearest name is '" + near + "'"));
      }
      Value empty;
      empty.at = at;
      here->set({word, at}, std::move(empty));
    }
    here = here->find(word);
  }
  *here = override.value;
}

}  // namespace

Value read_document(std::string_view text, const std::string& name, const fs::path& folder,
                    const std::vector<std::string>& overrides, Sources& sources) {
  sources.push_back({name, folder});
  Value root = parse_map(text, sources.back());
  std::vector<Override> later;
  for (const std::string& override : overrides) {
    sources.push_back({"--set " + override, folder, false});
    Override parsed = parse_override(override, sources.back());
    // What to include has to be known first; anything else may concern what is included.
    if (parsed.path[0] == "include") {
      assign(root, parsed);
    } else {
      later.push_back(std::move(parsed));
    }
  }
  std::error_code unknown;
  Includes includes{{fs::weakly_canonical(folder / fs::path(name).filename(), unknown)}};
  root = with_includes(std::move(root), sources, includes);
  for (const Override& override : later) assign(root, override);
  resolve_parameters(root);
  move_generators(root);
  return root;
}

}  // namespace catena
