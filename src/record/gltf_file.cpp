// The recording that becomes a .glb.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "catena/model/error.h"
#include "catena/record/gltf.h"

namespace catena {
namespace {

// Only the time and the poses are kept.
class GlbRecording final : public Recording {
 public:
  GlbRecording(const std::filesystem::path& file, const Model& model, const std::vector<std::string>& columns)
      : name_(file.string()), model_(model), width_(columns.size()), file_(file, std::ios::binary) {
    if (!file_) throw InputError{fmt::format("{}: cannot be written: {}", name_, std::strerror(errno))};
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (is_pose(columns[c])) {
        kept_.push_back(c);
        names_.push_back(columns[c]);
      }
    values_.resize(kept_.size());
  }
  GlbRecording(const GlbRecording&) = delete;
  GlbRecording& operator=(const GlbRecording&) = delete;

  ~GlbRecording() override {
    try {
      finish();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
    }
  }

  void write(std::span<const double> row) override {
    if (row.size() != width_) throw std::logic_error{"GlbRecording::write: one number a column"};
    for (std::size_t k = 0; k < kept_.size(); ++k) values_[k].push_back(row[kept_[k]]);
  }

  void finish() override {
    if (!file_.is_open()) return;
    file_ << write_glb(model_, names_, values_, model_.name);
    file_.close();
    if (!file_) throw std::runtime_error{fmt::format("{}: cannot be written: {}", name_, std::strerror(errno))};
  }

 private:
  static bool is_pose(const std::string& name) {
    if (name == "time") return true;
    for (const char* end : {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz", ".scale"})
      if (name.ends_with(end)) return true;
    return name.find(".form.q[") != std::string::npos;
  }

  std::string name_;
  Model model_;
  std::size_t width_;
  std::ofstream file_;
  std::vector<std::size_t> kept_;  // of the columns
  std::vector<std::string> names_;
  std::vector<std::vector<double>> values_;
};

}  // namespace

std::unique_ptr<Recording> open_glb(const std::filesystem::path& file, const Model& model,
                                    const std::vector<std::string>& columns) {
  return std::make_unique<GlbRecording>(file, model, columns);
}

}  // namespace catena
