// CSV: a line of names, then a line a sample, numbers with 17 significant digits so that they read back to the same bits.
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "catena/model/error.h"
#include "catena/record/formats.h"

namespace catena {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

class CsvRecording final : public Recording {
 public:
  CsvRecording(const std::filesystem::path& file, const std::vector<std::string>& columns)
      : name_(file.string()), file_(std::fopen(file.c_str(), "wb")), width_(columns.size()) {
    if (!file_) throw InputError{fmt::format("{}: cannot be written: {}", name_, std::strerror(errno))};
    std::setvbuf(file_, nullptr, _IONBF, 0);  // buffer_ is the only buffer, so the file always ends with a whole line
    for (const std::string& column : columns) buffer_ += quoted(column) + (&column == &columns.back() ? '\n' : ',');
    flush();
  }
  CsvRecording(const CsvRecording&) = delete;
  CsvRecording& operator=(const CsvRecording&) = delete;

  ~CsvRecording() override {
    try {
      finish();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
    }
  }

  void write(std::span<const double> row) override {
    if (row.size() != width_) throw std::logic_error{"CsvRecording::write: one number a column"};
    for (const double value : row) {
      fmt::format_to(std::back_inserter(buffer_), "{:.17g},", value);
    }
    buffer_.back() = '\n';
    if (buffer_.size() >= kBufferBytes || std::chrono::steady_clock::now() - flushed_ >= kFlushInterval) flush();
  }

  void finish() override {
    if (!file_) return;
    std::FILE* file = file_;
    try {
      flush();
    } catch (const std::exception&) {
      file_ = nullptr;
      std::fclose(file);
      throw;
    }
    file_ = nullptr;
    if (std::fclose(file) != 0)
      throw std::runtime_error{fmt::format("{}: cannot be written: {}", name_, std::strerror(errno))};
  }

 private:
  void flush() {
    const bool complete = std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
    const int reason = errno;
    buffer_.clear();
    flushed_ = std::chrono::steady_clock::now();
    if (!complete) throw std::runtime_error{fmt::format("{}: cannot be written: {}", name_, std::strerror(reason))};
  }

  std::string name_;
  std::FILE* file_;
  std::size_t width_;
  std::string buffer_;
  std::chrono::steady_clock::time_point flushed_;
};

// The names of the first line; `at` moves behind its end.
std::vector<std::string> read_names(const std::string& text, std::size_t& at) {
  std::vector<std::string> names(1);
  bool in_quotes = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      if (in_quotes && at + 1 < text.size() && text[at + 1] == '"') names.back() += text[++at];
      else in_quotes = !in_quotes;
    } else if (in_quotes || (c != ',' && c != '\n')) {
      names.back() += c;
    } else if (c == ',') {
      names.emplace_back();
    } else {
      ++at;
      break;
    }
  }
  if (!names.back().empty() && names.back().back() == '\r') names.back().pop_back();
  return names;
}

void read_line(const std::string& file, std::string_view line, int number, RecordedTable& table) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    const bool last = c + 1 == table.columns.size();
    const bool separated = last ? stop == end : stop != end && *stop == ',';
    if (error != std::errc{} || !separated)
      throw InputError{fmt::format("{}:{}:{}: expected {} numbers separated by commas, could not read number {} ('{}')",
                                   file, number, at - line.data() + 1, table.columns.size(), c + 1, table.names[c])};
    table.columns[c].push_back(value);
    at = last ? stop : stop + 1;
  }
}

}  // namespace

std::unique_ptr<Recording> open_csv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  return std::make_unique<CsvRecording>(file, columns);
}

RecordedTable read_csv(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::size_t at = 0;
  RecordedTable table;
  table.names = read_names(text, at);
  if (table.names.front().empty())
    throw InputError{fmt::format("{}:1:1: expected a line of column names", file.string())};
  table.columns.resize(table.names.size());
  int number = 2;
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1, ++number)
    read_line(file.string(), std::string_view(text).substr(at, end - at), number, table);
  return table;
}

}  // namespace catena
