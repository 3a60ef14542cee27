// Replays as files: the recording that becomes a page, and the page of a recording that was read back.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "catena/model/error.h"
#include "catena/record/page.h"
#include "catena/record/replay.h"

namespace catena {
namespace {

std::string title_of(const Model& model) { return model.name.empty() ? "catena" : model.name + " – catena"; }

class ReplayRecording final : public Recording {
 public:
  ReplayRecording(const std::filesystem::path& file, const Model& model, const Settings& settings,
                  const std::vector<std::string>& columns, const RunInfo& info)
      : name_(file.string()),
        model_(model),
        settings_(settings),
        columns_(columns),
        run_(info.date.empty() ? "" : to_json_text(info)),
        file_(file, std::ios::binary) {
    if (!file_) throw InputError{fmt::format("{}: cannot be written: {}", name_, std::strerror(errno))};
  }
  ReplayRecording(const ReplayRecording&) = delete;
  ReplayRecording& operator=(const ReplayRecording&) = delete;

  ~ReplayRecording() override {
    try {
      finish();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
    }
  }

  void write(std::span<const double> row) override {
    if (row.size() != columns_.size()) throw std::logic_error{"ReplayRecording::write: one number a column"};
    times_.push_back(row.front());
    rows_.emplace_back(row.begin(), row.end());
    contacts_.emplace_back();
  }

  void write_contacts(std::span<const ContactForce> contacts) override {
    if (contacts_.empty()) return;
    for (const ContactForce& contact : contacts)
      if (contact.normal > 0) contacts_.back().push_back(contact);
  }

  void finish() override {
    if (!file_.is_open()) return;
    file_ << page_html(title_of(model_), write_replay(model_, settings_, columns_, rows_, times_, contacts_, run_));
    file_.close();
    if (!file_) throw std::runtime_error{fmt::format("{}: cannot be written: {}", name_, std::strerror(errno))};
  }

 private:
  std::string name_;
  Model model_;
  Settings settings_;
  std::vector<std::string> columns_;  // the first is the time
  std::string run_;                   // what was run, as JSON
  std::ofstream file_;
  std::vector<double> times_;
  std::vector<std::vector<float>> rows_;
  std::vector<std::vector<ContactForce>> contacts_;
};

}  // namespace

std::unique_ptr<Recording> open_replay(const std::filesystem::path& file, const Model& model, const Settings& settings,
                                       const std::vector<std::string>& columns, const RunInfo& info) {
  return std::make_unique<ReplayRecording>(file, model, settings, columns, info);
}

std::string replay_page(const Model& model, const Settings& settings, const RecordedTable& table) {
  const std::vector<double>& times = table.column("time");
  std::vector<std::vector<float>> rows(table.rows(), std::vector<float>(table.names.size()));
  for (std::size_t c = 0; c < table.names.size(); ++c)
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r][c] = static_cast<float>(table.columns[c][r]);
  std::vector<std::vector<ContactForce>> pushing = table.contacts;
  for (auto& list : pushing) std::erase_if(list, [](const ContactForce& contact) { return !(contact.normal > 0); });
  return page_html(title_of(model), write_replay(model, settings, table.names, rows, times, pushing, table.run));
}

}  // namespace catena
