// What was run: all that a recording must say of itself so that the run can be understood, and made again, from the file alone.
#pragma once

#include <string>
#include <vector>

#include "catena/model/model.h"
#include "catena/model/settings.h"

namespace catena {

struct RunInfo {
  std::string scene{};                   // its text, with includes and overrides put in (Scene::source)
  std::vector<std::string> overrides{};  // a.b.c=VALUE, as typed; the scene above has them already
  std::string folder{};                  // where meshes of a robot file are looked for
  std::vector<std::string> import{};     // how a robot file was read: KEY=VALUE
  Settings settings{};    // as run: what `auto` stood for is filled in, as are the flags of the command line
  std::string version{};  // of this program
  std::string date{};     // when the run began, UTC: 2026-11-16T23:59:59Z
  std::vector<std::string> bodies{};  // names, in the order that contacts count bodies in
  std::vector<std::string> units{};   // of the columns; may be left out
};

// For a run that begins now. `columns` are those of the recordings.
RunInfo run_info(const Model& model, const std::string& scene, const std::vector<std::string>& overrides,
                 const Settings& settings, const std::vector<std::string>& columns);

// Version, date, overrides and every setting as one JSON object; the scene and the names are kept elsewhere.
std::string to_json_text(const RunInfo& info);
// The same read back. Throws InputError when the text is something else.
RunInfo run_info_of(const std::string& json_text);

// The SI unit of each column: "m", "rad/s", "N", "1"; empty where it is not known. Joint coordinates have that of their kind.
std::vector<std::string> column_units(const Model& model, const std::vector<std::string>& columns);

}  // namespace catena
