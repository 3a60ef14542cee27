#include "catena/scene/resolved_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace catena {
namespace {

// Words that YAML takes as they stand anywhere inside {} and [].
bool is_plain(const std::string& text) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (text.empty() || text == "null" || text == "Null" || text == "NULL" || text.back() == ' ') return false;
  const bool number = text.size() > 1 && text[0] == '-' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
  if (!letter(static_cast<unsigned char>(text[0])) && !number) return false;
  return std::all_of(text.begin() + 1, text.end(), [&](char c) {
    return letter(static_cast<unsigned char>(c)) || c == '.' || c == '+' || c == '-' || c == '/' || c == ' ';
  });
}

std::string quoted(const std::string& text) {
  if (is_plain(text)) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else out += c;
  }
  return out + '"';
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& folder) : folder_(folder) {}

  std::string document(const Value& root) {
    std::string out;
    for (std::size_t i = 0; i < root.keys.size(); ++i) {
      const Value& value = root.items[i];
      out += quoted(root.keys[i].text) + ":";
      if ((!value.is_map() && !value.is_list()) || value.items.empty()) {
        out += " " + inside(value, root.keys[i].text) + "\n";
        continue;
      }
      out += "\n";
      for (std::size_t k = 0; k < value.items.size(); ++k)
        out += value.is_map()
                 ? fmt::format("  {}: {}\n", quoted(value.keys[k].text), inside(value.items[k], value.keys[k].text))
                 : fmt::format("  - {}\n", inside(value.items[k], ""));
    }
    return out;
  }

 private:
  // On one line. `key` is that of the value.
  std::string inside(const Value& value, const std::string& key) {
    switch (value.kind) {
      case Value::Kind::null: return "null";
      case Value::Kind::scalar: return quoted(key == "mesh" || key == "file" ? path(value) : value.text);
      case Value::Kind::list:
      case Value::Kind::map: break;
    }
    std::string out = value.is_map() ? "{" : "[";
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) out += ", ";
      if (value.is_map()) out += quoted(value.keys[i].text) + ": ";
      out += inside(value.items[i], value.is_map() ? value.keys[i].text : key);
    }
    return out + (value.is_map() ? "}" : "]");
  }

  // An included file names its meshes relative to itself.
  std::string path(const Value& value) const {
    if (value.at.source == nullptr || value.at.source->folder == folder_) return value.text;
    return (value.at.source->folder / value.text).lexically_proximate(folder_).string();
  }

  const std::filesystem::path& folder_;
};

}  // namespace

std::string resolved_text(const Value& root, const std::filesystem::path& folder) {
  return Writer(folder).document(root);
}

}  // namespace catena
