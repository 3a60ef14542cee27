// What becomes of every element and attribute of a format: one table, from which the ledger and the reference page come.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "catena/import/xml_tree.h"
#include "catena/model/import_ledger.h"

namespace catena {

struct Rule {
  std::string_view
      element;  // "geom"; "equality/joint" where elements of one name differ by their parent, "sensor/*" for all of one
  std::string_view attribute;  // empty: the element itself; "*": any attribute not named
  std::string_view type;       // "number", "3 numbers", "word", …
  std::string_view otherwise;  // the default; empty: none
  Fate fate = Fate::used;
  std::string_view note;  // why, where it is not used as it stands
  bool physics = true;
};

// Words of the tables.
inline constexpr Fate kUsed = Fate::used, kNear = Fate::approximated, kNot = Fate::ignored;
inline constexpr std::string_view kLooks = "only how it looks";

struct Format {
  std::string_view name;
  std::span<const Rule> rules;

  const Rule* element(std::string_view parent, std::string_view name) const;
  const Rule* attribute(std::string_view parent, std::string_view element, std::string_view name) const;
  std::string reference() const;  // a table a reader can look things up in (Markdown)
};

// The fates of one file. Reading adds what depends on values; close() adds everything else by the table.
class LedgerWriter {
 public:
  LedgerWriter(const XmlTree& tree, const Format& format) : tree_(tree), format_(format) {}

  void note(const XmlNode& node, std::string_view attribute, Fate fate, std::string why, bool physics = true);
  void defaulted(std::string_view element, std::string_view attribute, std::string why);
  // Every element and attribute, in the order of the file.
  ImportLedger close() const;

 private:
  void walk(const XmlNode& node, std::string_view parent, bool dropped, ImportLedger& out) const;

  const XmlTree& tree_;
  const Format& format_;
  std::map<std::pair<const XmlNode*, std::string>, LedgerEntry> notes_;
  ImportLedger defaults_;
};

}  // namespace catena
