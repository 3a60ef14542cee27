#include "catena/import/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "catena/import/import.h"

namespace catena {
namespace {

bool is_element(std::string_view key, std::string_view parent, std::string_view name) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return key == name;
  // Of actuators a class of defaults has the same elements.
  const std::string_view above = key.substr(0, slash), own = key.substr(slash + 1);
  return (above == parent || (above == "actuator" && parent == "default")) && (own == name || own == "*");
}

}  // namespace

std::string_view word_of(Fate fate) {
  constexpr std::string_view words[] = {"used", "approximated", "ignored", "defaulted"};
  return words[static_cast<std::size_t>(fate)];
}

const Rule* Format::element(std::string_view parent, std::string_view wanted) const {
  const Rule* general = nullptr;
  for (const Rule& rule : rules) {
    if (!rule.attribute.empty() || !is_element(rule.element, parent, wanted)) continue;
    if (rule.element.find('/') != std::string_view::npos) return &rule;
    general = &rule;
  }
  return general;
}

const Rule* Format::attribute(std::string_view parent, std::string_view of, std::string_view wanted) const {
  const Rule* whole = element(parent, of);
  if (whole == nullptr) return nullptr;
  const Rule* any = nullptr;
  for (const Rule& rule : rules) {
    if (rule.element != whole->element || rule.attribute.empty()) continue;
    if (rule.attribute == wanted) return &rule;
    if (rule.attribute == "*") any = &rule;
  }
  return any;
}

std::string Format::reference() const {
  std::string out;
  std::set<std::string_view> done;
  for (const Rule& head : rules) {
    if (!head.attribute.empty() || !done.insert(head.element).second) continue;
    out += fmt::format("\n## `{}`\n\n{}{}{}.\n", head.element, word_of(head.fate), head.note.empty() ? "" : ": ",
                       head.note);
    bool first = true;
    for (const Rule& rule : rules) {
      if (rule.element != head.element || rule.attribute.empty()) continue;
      if (first) out += "\n| attribute | type | default | what is done |\n|---|---|---|---|\n";
      first = false;
      out += fmt::format("| `{}` | {} | {} | {}{}{} |\n", rule.attribute, rule.type, rule.otherwise, word_of(rule.fate),
                         rule.note.empty() ? "" : ": ", rule.note);
    }
  }
  return out;
}

void LedgerWriter::note(const XmlNode& node, std::string_view attribute, Fate fate, std::string why, bool physics) {
  notes_.insert_or_assign({&node, std::string(attribute)},
                          LedgerEntry{tree_.files[static_cast<std::size_t>(node.file)], node.line, node.name,
                                      std::string(attribute), fate, std::move(why), physics});
}

void LedgerWriter::defaulted(std::string_view element, std::string_view attribute, std::string why) {
  defaults_.push_back(
      {tree_.files.front(), 1, std::string(element), std::string(attribute), Fate::defaulted, std::move(why)});
}

ImportLedger LedgerWriter::close() const {
  ImportLedger out = defaults_;
  walk(tree_.root, "", false, out);
  return out;
}

void LedgerWriter::walk(const XmlNode& node, std::string_view parent, bool dropped, ImportLedger& out) const {
  const Rule* rule = format_.element(parent, node.name);
  const std::string& file = tree_.files[static_cast<std::size_t>(node.file)];
  const auto own = [&](const std::string& attribute) -> const LedgerEntry* {
    const auto found = notes_.find({&node, attribute});
    return found == notes_.end() ? nullptr : &found->second;
  };
  LedgerEntry whole{file, node.line, node.name, "", Fate::used, "", true};
  if (rule == nullptr) {
    whole.what = Fate::ignored;
    whole.why = dropped ? "part of an element that is ignored" : "not known";
  } else {
    whole.what = rule->fate;
    whole.why = rule->note;
    whole.physics = rule->physics;
  }
  if (const LedgerEntry* said = own("")) whole = *said;
  const bool gone = dropped || whole.what == Fate::ignored;
  if (!dropped) out.push_back(whole);
  for (const auto& [name, value] : node.attributes) {
    if (gone) break;  // said of the element
    const Rule* of = format_.attribute(parent, node.name, name);
    LedgerEntry entry{file, node.line, node.name, name, Fate::used, "", true};
    if (of == nullptr) {
      entry.what = Fate::ignored;
      entry.why = "not known";
    } else {
      entry.what = of->fate;
      entry.why = of->note;
      entry.physics = of->physics;
    }
    if (const LedgerEntry* said = own(name)) entry = *said;
    out.push_back(std::move(entry));
  }
  for (const XmlNode& child : node.children) walk(child, node.name, gone, out);
}

}  // namespace catena
