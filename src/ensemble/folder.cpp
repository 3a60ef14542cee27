#include "catena/ensemble/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catena/record/recording.h"

namespace catena {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string file_name(const Share& share) {
  return share.count == 1 ? "manifest.jsonl" : fmt::format("manifest.{}-of-{}.jsonl", share.index, share.count);
}

std::vector<fs::path> manifests(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("manifest.") && name.ends_with("jsonl")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The lines of a file that are whole; where they end.
struct Lines {
  std::vector<std::string> lines;
  std::uintmax_t end = 0;
};
Lines whole_lines(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  Lines out;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    out.end += line.size() + 1;
    out.lines.push_back(std::move(line));
  }
  return out;
}

// What makes two ensembles one: everything but how the file was called, and by which program.
json identity(const EnsembleSpec& spec) {
  json out = json::parse(to_json_text(spec));
  out.erase("name");
  return out;
}

EnsembleSpec spec_in(const fs::path& file, const std::string& line) {
  try {
    return spec_of(json::parse(line).at("ensemble").dump());
  } catch (const json::exception&) {
    throw InputError(fmt::format("{}: this is not the manifest of an ensemble", file.string()));
  }
}

double number_or_nan(const json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

MemberResult result_in(const Ensemble& ensemble, const std::string& line) {
  const json all = json::parse(line);
  MemberResult out{.member = all.at("member")};
  for (const std::string& path : ensemble.paths()) out.parameters.push_back(all.at("parameters").at(path));
  for (const std::string& text : ensemble.spec().measures)
    out.measures.push_back(number_or_nan(all.at("measures").at(text)));
  out.status = all.at("status");
  out.message = all.value("message", "");
  out.time = number_or_nan(all.at("time"));
  out.steps = all.at("steps");
  out.residual = number_or_nan(all.at("residual"));
  out.drift = number_or_nan(all.at("drift"));
  out.energy = number_or_nan(all.at("energy"));
  out.energy_change = number_or_nan(all.at("energy_change"));
  return out;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

std::vector<std::string> columns_of(const Ensemble& ensemble) {
  std::vector<std::string> out{"member"};
  out.insert(out.end(), ensemble.paths().begin(), ensemble.paths().end());
  out.insert(out.end(), ensemble.spec().measures.begin(), ensemble.spec().measures.end());
  for (const char* name : {"status", "time", "steps", "residual", "drift", "energy", "energy.change"})
    out.emplace_back(name);
  return out;
}

// In the order of the columns, with the status as its number.
std::vector<double> row_of(const MemberResult& r) {
  const auto& all = member_statuses();
  std::vector<double> row{static_cast<double>(r.member)};
  row.insert(row.end(), r.parameters.begin(), r.parameters.end());
  row.insert(row.end(), r.measures.begin(), r.measures.end());
  const auto status = static_cast<double>(std::find(all.begin(), all.end(), r.status) - all.begin());
  for (const double x : {status, r.time, static_cast<double>(r.steps), r.residual, r.drift, r.energy, r.energy_change})
    row.push_back(x);
  return row;
}

void write_csv(const fs::path& file, const Ensemble& ensemble, const Results& results) {
  std::ofstream out(file, std::ios::binary);
  const std::vector<std::string> columns = columns_of(ensemble);
  const std::size_t status = 1 + ensemble.paths().size() + ensemble.spec().measures.size();
  for (const std::string& name : columns) out << quoted(name) << ',';
  out << "message\n";
  for (const auto& [member, result] : results) {
    const std::vector<double> row = row_of(result);
    for (std::size_t k = 0; k < row.size(); ++k)
      out << (k == status ? result.status : fmt::format("{:.17g}", row[k])) << ',';
    out << quoted(result.message) << '\n';
  }
  if (!out.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", file.string()));
}

}  // namespace

std::string to_json_line(const Ensemble& ensemble, const MemberResult& r) {
  json parameters = json::object(), measures = json::object();
  for (std::size_t k = 0; k < r.parameters.size(); ++k) parameters[ensemble.paths()[k]] = r.parameters[k];
  for (std::size_t k = 0; k < r.measures.size(); ++k) measures[ensemble.spec().measures[k]] = r.measures[k];
  json out{{"member", r.member},       {"status", r.status},
           {"parameters", parameters}, {"measures", measures},
           {"time", r.time},           {"steps", r.steps},
           {"residual", r.residual},   {"drift", r.drift},
           {"energy", r.energy},       {"energy_change", r.energy_change}};
  if (!r.message.empty()) out["message"] = r.message;
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Manifest::Manifest(const fs::path& folder, const Ensemble& ensemble, const Share& share) : ensemble_(ensemble) {
  if (share.count < 1 || share.index < 0 || share.index >= share.count)
    throw InputError(fmt::format("share {} of {}: shares count from 0", share.index, share.count));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  std::vector<bool> there(static_cast<std::size_t>(ensemble.size()));
  for (const fs::path& file : manifests(folder)) {
    const Lines text = whole_lines(file);
    if (text.lines.empty()) continue;
    if (identity(spec_in(file, text.lines.front())) != identity(ensemble.spec()))
      throw InputError(fmt::format("{} holds another ensemble (scene, flags or seed differ); choose another --out",
                                   folder.string()));
    for (std::size_t i = 1; i < text.lines.size(); ++i) {
      const auto member = json::parse(text.lines[i]).at("member").get<std::size_t>();
      if (member < there.size()) there[member] = true;
    }
  }
  for (long i = share.index; i < ensemble.size(); i += share.count)
    if (!there[static_cast<std::size_t>(i)]) waiting_.push_back(i);

  file_ = folder / file_name(share);
  const Lines own = whole_lines(file_);
  if (fs::exists(file_)) fs::resize_file(file_, own.end);
  out_.open(file_, std::ios::binary | std::ios::app);
  if (own.lines.empty()) {
    const json head{{"catena", CATENA_VERSION},
                    {"members", ensemble.size()},
                    {"ensemble", json::parse(to_json_text(ensemble.spec()))}};
    out_ << head.dump() + "\n" << std::flush;
  }
  if (!out_) throw std::runtime_error(fmt::format("{}: cannot be written", file_.string()));
}

void Manifest::write(const MemberResult& result) { write_line(to_json_line(ensemble_, result)); }

void Manifest::write_line(const std::string& line) {
  const std::lock_guard lock(mutex_);
  out_ << line + "\n" << std::flush;
  if (!out_) throw std::runtime_error(fmt::format("{}: cannot be written", file_.string()));
}

EnsembleSpec read_spec(const fs::path& folder) {
  std::vector<EnsembleSpec> found;
  for (const fs::path& file : manifests(folder)) {
    const Lines text = whole_lines(file);
    if (text.lines.empty()) continue;
    found.push_back(spec_in(file, text.lines.front()));
    if (identity(found.back()) != identity(found.front()))
      throw InputError(fmt::format("{} has manifests of different ensembles", folder.string()));
  }
  if (found.empty()) throw InputError(fmt::format("{}: there is no manifest of an ensemble here", folder.string()));
  return found.front();
}

Results read_results(const fs::path& folder, const Ensemble& ensemble) {
  Results out;
  for (const fs::path& file : manifests(folder)) {
    const Lines text = whole_lines(file);
    for (std::size_t i = 1; i < text.lines.size(); ++i) try {
        MemberResult result = result_in(ensemble, text.lines[i]);
        out.emplace(result.member, std::move(result));
      } catch (const json::exception& error) {
        throw InputError(
            fmt::format("{}:{}:1: this is no member of the ensemble: {}", file.string(), i + 1, error.what()));
      }
  }
  return out;
}

void write_table(const fs::path& folder, const Ensemble& ensemble, const Results& results) {
  const fs::path csv = folder / "table.part.csv", h5 = folder / "table.part.h5";
  write_csv(csv, ensemble, results);
  const auto recording = open_recording(h5, columns_of(ensemble), ensemble.spec().scene);
  for (const auto& [member, result] : results) recording->write(row_of(result));
  recording->finish();
  fs::rename(csv, folder / "table.csv");
  fs::rename(h5, folder / "table.h5");
}

std::vector<long> worst_members(const Results& results, std::size_t count) {
  std::vector<std::pair<double, long>> order;  // the smallest first
  for (const auto& [member, r] : results) {
    const double value = r.measures.empty() ? 0 : r.measures.front();
    order.emplace_back(!r.done() || std::isnan(value) ? -std::numeric_limits<double>::infinity() : -value, member);
  }
  std::sort(order.begin(), order.end());
  std::vector<long> out;
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) out.push_back(order[i].second);
  return out;
}

}  // namespace catena
