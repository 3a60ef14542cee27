// The file: a line that names the format, then named fields, then a hash of all that is before it. Numbers are little-endian.
//   field: u32 length of the name, the name, u32 bytes an element, u64 elements, the elements
#include "catena/record/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "catena/model/error.h"
#include "catena/record/run_info.h"

namespace catena {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

constexpr std::string_view kFirstLine = "catena checkpoint 3\n";

// Every field of the State, by name. The binding names them all: a State with a field more does not compile here until it is added.
template <class AnyState, class Visit>
void for_each_field(AnyState& state, const Visit& visit) {
  auto& [time, clock, bodies, joint_angles, q, qd, next_step, impulses, ledger, activation, attachments, switched,
         switched_time, guides, rests] = state;
  visit("time", time);
  visit("clock", clock);
  visit("bodies", bodies);
  visit("joint_angles", joint_angles);
  visit("q", q);
  visit("qd", qd);
  visit("next_step", next_step);
  visit("impulses", impulses);
  visit("ledger", ledger);
  visit("activation", activation);
  visit("attachments", attachments);
  visit("switched", switched);
  visit("switched_time", switched_time);
  visit("guides", guides);
  visit("rests", rests);
}

template <class AnyDrive, class Visit>
void for_each_drive(AnyDrive& drive, const Visit& visit) {
  auto& [tau, ctrl, body_forces, point_forces] = drive;
  visit("tau", tau);
  visit("ctrl", ctrl);
  visit("body_forces", body_forces);
  visit("point_forces", point_forces);
}

// Elements are stored as they lie in memory. They may have no padding, whose bytes would be anything: eights only, as all are doubles and
// whole numbers of that size.
template <class T>
constexpr bool is_plain = std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0 && alignof(T) == 8;

// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

class Writer {
 public:
  template <class T>
  void field(std::string_view name, const std::vector<T>& elements) {
    static_assert(is_plain<T>);
    put(name, sizeof(T), elements.size(), elements.data());
  }
  template <class T>
  void field(std::string_view name, const T& one) {
    static_assert(is_plain<T>);
    put(name, sizeof(T), 1, &one);
  }
  void field(std::string_view name, const std::string& text) { put(name, 1, text.size(), text.data()); }
  std::string take() {
    const std::uint64_t hash = hash_of(bytes_);
    append(hash);
    return std::move(bytes_);
  }

 private:
  template <class T>
  void append(T number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put(std::string_view name, std::size_t size, std::size_t count, const void* elements) {
    append(static_cast<std::uint32_t>(name.size()));
    bytes_ += name;
    append(static_cast<std::uint32_t>(size));
    append(static_cast<std::uint64_t>(count));
    if (count > 0) bytes_.append(static_cast<const char*>(elements), size * count);
  }

  std::string bytes_{kFirstLine};
};

class Reader {
 public:
  // `bytes` are those between the first line and the hash.
  Reader(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  template <class T>
  void field(std::string_view name, std::vector<T>& elements) {
    static_assert(is_plain<T>);
    const std::string_view data = take(name, sizeof(T));
    elements.resize(data.size() / sizeof(T));
    if (!data.empty()) std::memcpy(static_cast<void*>(elements.data()), data.data(), data.size());
  }
  template <class T>
  void field(std::string_view name, T& one) {
    static_assert(is_plain<T>);
    const std::string_view data = take(name, sizeof(T));
    if (data.size() != sizeof(T)) refuse();
    std::memcpy(static_cast<void*>(&one), data.data(), sizeof(T));
  }
  void field(std::string_view name, std::string& text) { text = take(name, 1); }
  void end() const {
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw InputError{fmt::format("{}: this checkpoint was written by another version of the program", name_)};
  }
  template <class T>
  T number() {
    T out{};
    if (rest_.size() < sizeof(T)) refuse();
    std::memcpy(&out, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return out;
  }
  // The elements of the next field, which must have this name and size.
  std::string_view take(std::string_view name, std::size_t size) {
    const auto length = number<std::uint32_t>();
    if (length != name.size() || rest_.substr(0, length) != name) refuse();
    rest_.remove_prefix(length);
    if (number<std::uint32_t>() != size) refuse();
    const auto count = number<std::uint64_t>();
    if (count > rest_.size() / size) refuse();
    const std::string_view data = rest_.substr(0, count * size);
    rest_.remove_prefix(data.size());
    return data;
  }

  std::string_view rest_;
  const std::string& name_;
};

// What a run leaves behind has finite numbers and unit quaternions, and nothing later checks.
void check_finite(const State& state, const std::string& name) {
  const auto refuse = [&] { throw InputError{fmt::format("{}: the state in the checkpoint is not finite", name)}; };
  bool finite = std::isfinite(state.time) && state.time >= 0 && std::isfinite(state.next_step);
  for (const BodyState& body : state.bodies) {
    for (const Vec3& v : {body.position, body.velocity, body.angular_velocity})
      finite = finite && std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
    const Quat& q = body.orientation;
    const double size = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    finite = finite && std::isfinite(size) && size > 0.5 && size < 2 && std::isfinite(body.scale) && body.scale > 0 &&
             std::isfinite(body.scale_velocity);
  }
  for (const std::vector<double>* numbers : {&state.q, &state.qd, &state.activation})
    for (const double x : *numbers) finite = finite && std::isfinite(x);
  for (const auto& angles : state.joint_angles)
    for (const double x : angles) finite = finite && std::isfinite(x);
  for (const WarmImpulse& impulse : state.impulses)
    for (const double x : impulse.z) finite = finite && std::isfinite(x);
  for (const Rest& rest : state.rests)
    finite = finite && std::isfinite(rest.still) && rest.island < static_cast<std::int64_t>(state.bodies.size());
  if (!finite) refuse();
}

// To the disk: a rename that survives a crash before the bytes do would leave nothing at all.
void write_file(const std::filesystem::path& file, const std::string& bytes) {
  const auto refuse = [&] {
    throw std::runtime_error{fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno))};
  };
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) refuse();
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t done = ::write(descriptor, bytes.data() + at, bytes.size() - at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      const int reason = errno;
      ::close(descriptor);
      errno = reason;
      refuse();
    }
    at += static_cast<std::size_t>(done);
  }
  if (::fsync(descriptor) != 0 || ::close(descriptor) != 0) refuse();
}

}  // namespace

std::string to_bytes(const Checkpoint& checkpoint) {
  Writer out;
  out.field("model", checkpoint.model);
  out.field("settings", to_json_text({.settings = checkpoint.settings}));
  const auto write = [&](const char* name, const auto& field) { out.field(name, field); };
  for_each_field(checkpoint.state, write);
  for_each_drive(checkpoint.drive, write);
  return out.take();
}

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  const std::string bytes = to_bytes(checkpoint);
  std::filesystem::path beside = file;
  beside += ".part";
  std::error_code error;
  try {
    write_file(beside, bytes);
  } catch (const std::runtime_error&) {
    std::filesystem::remove(beside, error);
    throw;
  }
  std::filesystem::rename(beside, file, error);
  if (error) throw std::runtime_error{fmt::format("{}: cannot be written: {}", file.string(), error.message())};
}

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name) {
  constexpr std::size_t kHash = sizeof(std::uint64_t);
  if (!bytes.starts_with(kFirstLine))
    throw InputError{
        fmt::format("{}: is not a checkpoint; `catena simulate SCENE --checkpoint FILE` writes one", name)};
  std::uint64_t hash = 0;
  if (bytes.size() >= kFirstLine.size() + kHash) std::memcpy(&hash, bytes.data() + bytes.size() - kHash, kHash);
  if (bytes.size() < kFirstLine.size() + kHash || hash != hash_of(bytes.substr(0, bytes.size() - kHash)))
    throw InputError{fmt::format("{}: the checkpoint is damaged", name)};
  Reader in(bytes.substr(kFirstLine.size(), bytes.size() - kFirstLine.size() - kHash), name);
  Checkpoint out;
  std::string settings;
  in.field("model", out.model);
  in.field("settings", settings);
  const auto read = [&](const char* field_name, auto& field) { in.field(field_name, field); };
  for_each_field(out.state, read);
  for_each_drive(out.drive, read);
  in.end();
  out.settings = run_info_of(settings).settings;
  check_finite(out.state, name);
  return out;
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError{fmt::format("{}: there is no such checkpoint", file.string())};
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError{fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno))};
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return parse_checkpoint(bytes, file.string());
}

std::string difference(const Settings& a, const Settings& b) {
  using nlohmann::json;
  const json one = json::parse(to_json_text({.settings = a}))["settings"];
  const json other = json::parse(to_json_text({.settings = b}))["settings"];
  for (const auto& [key, value] : one.items()) {
    if (key == "duration" || key == "sample" || key == "threads" || value == other[key]) continue;
    return fmt::format("{} {} and {}", key, value.dump(), other[key].dump());
  }
  return {};
}

}  // namespace catena
