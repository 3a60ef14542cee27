// HDF5: every column a dataset of the file's root (hdf5_columns.h); contacts and pairs of bodies in groups of these names.
//
// A killed process leaves a whole file: hdf5_driver.h orders the metadata, and a chunk, once in the file, never moves. Killed in the
// middle of a commit some columns may be longer than others; read_recording takes the shortest.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "catena/model/error.h"
#include "catena/model/setting_names.h"
#include "catena/record/contact_table.h"
#include "catena/record/formats.h"
#include "catena/record/hdf5_columns.h"
#include "catena/record/hdf5_driver.h"
#include "catena/record/hdf5_handle.h"

namespace catena {
namespace {

constexpr unsigned kIndexNode = 32;      // a node of a column's index holds twice as many chunks, in 18 kB of memory;
constexpr unsigned kSmallIndexNode = 8;  // in 5 kB, where there are
constexpr std::size_t kManyColumns = 1024;  // of them or more

class Hdf5Recording final : public Recording {
 public:
  Hdf5Recording(const std::filesystem::path& file, const std::vector<std::string>& columns, const RunInfo& info);
  Hdf5Recording(const Hdf5Recording&) = delete;
  Hdf5Recording& operator=(const Hdf5Recording&) = delete;
  ~Hdf5Recording() override;

  void write(std::span<const double> row) override;
  void write_contacts(std::span<const ContactForce> contacts) override;
  void finish() override;

 private:
  void create_file(const std::filesystem::path& file, std::size_t columns);
  std::unique_ptr<Hdf5Columns> create_group(const std::string& name, const std::vector<std::string>& columns,
                                            const std::vector<std::string>& units, const RunInfo& info);
  void write_text(const char* link, const std::string& text);
  void write_attributes(const RunInfo& info);
  void write_open_chunks(bool complete);
  void commit();
  void guard(const std::function<void()>& action);
  template <class Result>
  Result checked(Result result);

  std::string name_;
  std::string failure_;  // what the disk refused; nothing is written after that
  Hdf5Handle file_;
  Hdf5Handle finished_;  // attribute: 1 once finish() was reached

  std::unique_ptr<Hdf5Columns> samples_, contacts_, pairs_;
  std::size_t rows_ = 0;           // samples written
  bool chunks_completed_ = false;  // since the last commit
  std::chrono::steady_clock::time_point committed_;
};

Hdf5Recording::Hdf5Recording(const std::filesystem::path& file, const std::vector<std::string>& columns,
                             const RunInfo& info)
    : name_(file.string()) {
  const QuietHdf5 quiet;
  create_file(file, columns.size());
  guard([&] {
    std::vector<std::string> links;
    for (const std::string& column : columns) links.push_back(to_link_name(column));
    samples_ = std::make_unique<Hdf5Columns>(file_, std::move(links), info.units);
    contacts_ = create_group("contacts", contact_columns(), contact_units(), info);
    pairs_ = create_group("pairs", pair_columns(), pair_units(), info);
    write_attributes(info);
  });
  write_text("scene", info.scene);
  if (!info.date.empty()) write_text("run", to_json_text(info));
  commit();
}

Hdf5Recording::~Hdf5Recording() {
  try {
    finish();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
  }
}

template <class Result>
Result Hdf5Recording::checked(Result result) {
  if (result >= 0) return result;
  if (failure_.empty()) failure_ = fmt::format("{}: cannot be written: {}", name_, hdf5_reason());
  throw std::runtime_error{failure_};
}

void Hdf5Recording::create_file(const std::filesystem::path& file, std::size_t columns) {
  const Hdf5Handle access{checked(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose};
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
  checked(H5Pset_driver(access, ordered_hdf5_driver(), nullptr));
  const Hdf5Handle creation{checked(H5Pcreate(H5P_FILE_CREATE)), H5Pclose};
  checked(H5Pset_istore_k(creation, columns >= kManyColumns ? kSmallIndexNode : kIndexNode));
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, access);
  if (id < 0) throw InputError{fmt::format("{}: cannot be written: {}", name_, hdf5_reason())};
  file_ = {id, H5Fclose};
}

// Names of the bodies beside the columns that count them: the name of body i is number i.
void write_body_names(hid_t group, const std::vector<std::string>& bodies) {
  std::size_t longest = 1;
  for (const std::string& name : bodies) longest = std::max(longest, name.size());
  std::string all;
  for (const std::string& name : bodies) all += name + std::string(longest - name.size(), '\0');
  const hsize_t count = bodies.size();
  const Hdf5Handle type{hdf5_checked(H5Tcopy(H5T_C_S1)), H5Tclose};
  hdf5_checked(H5Tset_size(type, longest));
  hdf5_checked(H5Tset_cset(type, H5T_CSET_UTF8));
  const Hdf5Handle space{hdf5_checked(H5Screate_simple(1, &count, nullptr)), H5Sclose};
  const hid_t id = H5Dcreate2(group, "body_names", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const Hdf5Handle dataset{hdf5_checked(id), H5Dclose};
  hdf5_checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
}

std::unique_ptr<Hdf5Columns> Hdf5Recording::create_group(const std::string& name,
                                                         const std::vector<std::string>& columns,
                                                         const std::vector<std::string>& units, const RunInfo& info) {
  const Hdf5Handle group{hdf5_checked(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                         H5Gclose};
  if (!info.bodies.empty()) write_body_names(group, info.bodies);
  std::vector<std::string> links;
  for (const std::string& column : columns) links.push_back(fmt::format("{}/{}", name, column));
  return std::make_unique<Hdf5Columns>(file_, std::move(links), units);
}

// What the disk refuses names the file, and is the end of it.
void Hdf5Recording::guard(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    if (failure_.empty()) failure_ = fmt::format("{}: cannot be written: {}", name_, error.what());
    throw std::runtime_error{failure_};
  }
}

void Hdf5Recording::write_text(const char* link, const std::string& text) {
  const Hdf5Handle type{checked(H5Tcopy(H5T_C_S1)), H5Tclose};
  checked(H5Tset_size(type, text.size() + 1));
  checked(H5Tset_cset(type, H5T_CSET_UTF8));
  const Hdf5Handle space{checked(H5Screate(H5S_SCALAR)), H5Sclose};
  const Hdf5Handle dataset{checked(H5Dcreate2(file_, link, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                           H5Dclose};
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()));
}

// The settings most asked for can be read without JSON; "run" has them all.
void Hdf5Recording::write_attributes(const RunInfo& info) {
  write_text_attribute(file_, "catena", CATENA_VERSION);
  const Hdf5Handle space{hdf5_checked(H5Screate(H5S_SCALAR)), H5Sclose};
  if (!info.date.empty()) {
    write_text_attribute(file_, "date", info.date);
    write_text_attribute(file_, "method", std::string(word_of(kMethodNames, info.settings.method)));
    write_text_attribute(file_, "integrator",
                         std::string(word_of(kIntegratorNames, info.settings.method.integrator())));
    const hid_t id = H5Acreate2(file_, "step", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const Hdf5Handle step{hdf5_checked(id), H5Aclose};
    hdf5_checked(H5Awrite(step, H5T_NATIVE_DOUBLE, &info.settings.step));
  }
  const int no = 0;
  finished_ = {hdf5_checked(H5Acreate2(file_, "finished", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose};
  hdf5_checked(H5Awrite(finished_, H5T_NATIVE_INT, &no));
}

void Hdf5Recording::write(std::span<const double> row) {
  if (row.size() != samples_->width()) throw std::logic_error{"Hdf5Recording::write: one number a column"};
  if (!failure_.empty()) throw std::runtime_error{failure_};
  guard([&] { chunks_completed_ |= samples_->append(row); });
  ++rows_;
  if (std::chrono::steady_clock::now() - committed_ < kFlushInterval) return;
  if (!chunks_completed_)
    write_open_chunks(false);  // a slow run; in a fast one the rows of the open chunk are young, and wait
  commit();
}

// In the file before the sample they belong to is completed by the next: a reader takes those of samples that are there.
void Hdf5Recording::write_contacts(std::span<const ContactForce> contacts) {
  if (rows_ == 0 || !failure_.empty()) return;
  guard([&] {
    for (const ContactForce& contact : contacts) contacts_->append(contact_row(rows_ - 1, contact));
    for (const PairWrench& pair : pair_wrenches(contacts)) pairs_->append(pair_row(rows_ - 1, pair));
  });
}

void Hdf5Recording::write_open_chunks(bool complete) {
  guard([&] {
    for (Hdf5Columns* columns : {samples_.get(), contacts_.get(), pairs_.get()}) columns->write(complete);
  });
}

void Hdf5Recording::commit() {
  const QuietHdf5 quiet;
  checked(H5Fflush(file_, H5F_SCOPE_GLOBAL));
  chunks_completed_ = false;
  committed_ = std::chrono::steady_clock::now();
}

void Hdf5Recording::finish() {
  if (!file_.valid()) return;
  const QuietHdf5 quiet;
  if (failure_.empty()) {
    write_open_chunks(true);
    commit();
    const int yes = 1;
    checked(H5Awrite(finished_, H5T_NATIVE_INT, &yes));
  }
  finished_.reset();
  checked(file_.reset());
}

}  // namespace

std::unique_ptr<Recording> open_hdf5(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                     const RunInfo& info) {
  return std::make_unique<Hdf5Recording>(file, columns, info);
}

}  // namespace catena
