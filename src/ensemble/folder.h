// The folder of an ensemble: manifests, the table made of them, and the page.
//
//   manifest.jsonl, manifest.3-of-8.jsonl   a line that describes the ensemble, then a line for each member as it ends; one file a process
//   table.csv, table.h5, index.html         made of all manifests when every member is there
//
// A line is written at once. A process that is killed leaves at most half a line, which the next one cuts off: nothing else is lost.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <vector>

#include "catena/ensemble/ensemble.h"

namespace catena {

// Which members a process takes: those with member % count == index.
struct Share {
  long index = 0, count = 1;
};

// The folder of `ensemble`, made where there is none. Throws InputError when it is that of another one, std::runtime_error when the disk
// refuses.
class Manifest {
 public:
  Manifest(const std::filesystem::path& folder, const Ensemble& ensemble, const Share& share);
  // Members of the share that no manifest of the folder has yet, ascending.
  const std::vector<long>& waiting() const { return waiting_; }
  // From any thread.
  void write(const MemberResult& result);
  // A line of to_json_line(), which may have been made elsewhere.
  void write_line(const std::string& line);

 private:
  const Ensemble& ensemble_;
  std::filesystem::path file_;
  std::ofstream out_;
  std::mutex mutex_;
  std::vector<long> waiting_;
};

// What a folder's manifests describe. Throws InputError when there are none, or they are not of one ensemble.
EnsembleSpec read_spec(const std::filesystem::path& folder);
// All members its manifests have, by number. Half a line at the end of a file is left out.
std::map<long, MemberResult> read_results(const std::filesystem::path& folder, const Ensemble& ensemble);

// A line of a manifest, and back.
std::string to_json_line(const Ensemble& ensemble, const MemberResult& result);

using Results = std::map<long, MemberResult>;
void write_table(const std::filesystem::path& folder, const Ensemble& ensemble, const Results& results);
// `replays`: members whose replay lies in members/NUMBER.html.
void write_page(const std::filesystem::path& folder, const Ensemble& ensemble, const Results& results,
                const std::vector<long>& replays);

// The members whose first measure is largest, at most `count`, the largest first; those that failed come before all.
std::vector<long> worst_members(const Results& results, std::size_t count);

}  // namespace catena
