#include "catena/scene/problem_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catena/import/text_file.h"
#include "catena/model/error.h"
#include "catena/scene/value.h"

namespace catena {
namespace {

using nlohmann::json;
using namespace solve;

// A value and where it stands, for messages.
struct PlaceInText {
  const json* value;
  std::string path;
  const std::string* file;

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", *file, path.empty() ? "/" : path, shortened(what, 300)));
  }
  bool has(const char* key) const { return value->is_object() && value->contains(key); }
  PlaceInText at(const char* key) const {
    if (!value->is_object()) refuse("an object is needed here");
    const auto found = value->find(key);
    if (found == value->end()) refuse(fmt::format("\"{}\" is missing", key));
    return {&*found, path + "/" + key, file};
  }
  PlaceInText at(std::size_t index) const { return {&(*value)[index], fmt::format("{}/{}", path, index), file}; }
  std::size_t size() const {
    if (!value->is_array()) refuse("a list is needed here");
    return value->size();
  }
  double number() const {
    if (!value->is_number()) refuse("a number is needed here");
    const double number = value->get<double>();
    if (!std::isfinite(number)) refuse("the number is not finite");
    return number;
  }
  int index(int count) const {
    if (!value->is_number_integer()) {
      const double real = number();
      if (real != std::floor(real)) refuse("a whole number is needed here");
    }
    const double real = number();
    if (real < 0 || real >= count) refuse(fmt::format("{} is outside 0 … {}", real, count - 1));
    return static_cast<int>(real);
  }
  std::string text() const {
    if (!value->is_string()) refuse("a text is needed here");
    return value->get<std::string>();
  }
};

Vector read_vector(const PlaceInText& place) {
  Vector v(static_cast<Eigen::Index>(place.size()));
  for (std::size_t i = 0; i < place.size(); ++i) v[static_cast<Eigen::Index>(i)] = place.at(i).number();
  return v;
}

Eigen::MatrixXd read_dense(const PlaceInText& rows, int size) {
  if (static_cast<int>(rows.size()) != size)
    rows.refuse(fmt::format("{} rows; the vector q has {}", rows.size(), size));
  Eigen::MatrixXd A(size, size);
  for (int i = 0; i < size; ++i) {
    const PlaceInText row = rows.at(static_cast<std::size_t>(i));
    if (static_cast<int>(row.size()) != size) row.refuse(fmt::format("{} numbers; {} are needed", row.size(), size));
    for (int j = 0; j < size; ++j) A(i, j) = row.at(static_cast<std::size_t>(j)).number();
  }
  return A;
}

// Up to so many rows a dense matrix is faster, however few entries it has.
constexpr int kFewRows = 12;

Matrix read_triplets(const PlaceInText& list, const std::vector<Block>& blocks, int size) {
  std::vector<Triplet> triplets;
  triplets.reserve(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const PlaceInText entry = list.at(k);
    if (entry.size() != 3) entry.refuse("[row, column, value] is needed here");
    triplets.push_back({entry.at(std::size_t{0}).index(size), entry.at(1).index(size), entry.at(2).number()});
  }
  std::vector<int> cut;
  for (const Block& block : blocks) cut.push_back(block.first);
  cut.push_back(size);
  BlockSparse sparse = block_sparse(cut, triplets);
  if (size <= kFewRows) return to_dense(sparse);
  return sparse;
}

Matrix read_matrix(const PlaceInText& place, const std::vector<Block>& blocks, int size) {
  if (place.value->is_array()) return read_dense(place, size);
  for (const char* side : {"rows", "cols"})
    if (place.has(side) && place.at(side).number() != size)
      place.at(side).refuse(fmt::format("{}; the vector q has {} numbers", place.at(side).number(), size));
  if (place.has("dense")) return read_dense(place.at("dense"), size);
  if (place.has("triplets")) return read_triplets(place.at("triplets"), blocks, size);
  place.refuse(R"("dense" or "triplets" is missing)");
}

std::vector<Block> mixed_rows(const PlaceInText& root, int size) {
  std::vector<Block> blocks = complementary_rows(size);
  const PlaceInText list = root.at("free");
  for (std::size_t k = 0; k < list.size(); ++k) blocks[list.at(k).index(size)].law = Law::free;
  return blocks;
}

std::vector<Block> boxed_rows(const PlaceInText& root, int size) {
  std::vector<Block> blocks = complementary_rows(size);
  const PlaceInText lower = root.at("lo"), upper = root.at("hi");
  for (const PlaceInText& bounds : {lower, upper})
    if (static_cast<int>(bounds.size()) != size)
      bounds.refuse(fmt::format("{} bounds; {} are needed", bounds.size(), size));
  for (int i = 0; i < size; ++i) {
    const PlaceInText low = lower.at(static_cast<std::size_t>(i)), high = upper.at(static_cast<std::size_t>(i));
    blocks[i].law = Law::boxed;
    blocks[i].lower = low.value->is_null() ? -std::numeric_limits<double>::infinity() : low.number();
    blocks[i].upper = high.value->is_null() ? std::numeric_limits<double>::infinity() : high.number();
    if (blocks[i].lower > blocks[i].upper)
      high.refuse(fmt::format("{} is below the lower bound {}", blocks[i].upper, blocks[i].lower));
  }
  return blocks;
}

std::vector<Block> friction_rows(const PlaceInText& root, int size) {
  const double dimension = root.at("dimension").number();
  if (dimension != 2 && dimension != 3) root.at("dimension").refuse(fmt::format("{}; it is 2 or 3", dimension));
  const PlaceInText list = root.at("mu");
  const Vector mu = read_vector(list);
  for (Eigen::Index k = 0; k < mu.size(); ++k)
    if (mu[k] < 0) list.at(static_cast<std::size_t>(k)).refuse("friction must not be negative");
  const int rows = static_cast<int>(dimension) * static_cast<int>(mu.size());
  if (rows != size)
    list.refuse(fmt::format("{} coefficients make {} rows; the vector q has {}", mu.size(), rows, size));
  if (root.has("contacts") && root.at("contacts").number() != static_cast<double>(mu.size()))
    root.at("contacts").refuse(fmt::format("there are {} coefficients of friction", mu.size()));
  std::vector<Block> blocks = friction_cones(mu, static_cast<int>(dimension));
  if (root.has("facets"))
    for (Block& block : blocks) {
      block.law = Law::facets;
      block.facets = root.at("facets").index(65);
    }
  return blocks;
}

Block read_block(const PlaceInText& place, int first) {
  static const std::vector<std::pair<std::string, Law>> laws = {
      {"free", Law::free},     {"complementary", Law::complementary},
      {"boxed", Law::boxed},   {"bounded by", Law::bounded_by},
      {"facets", Law::facets}, {"cone", Law::cone}};
  const std::string law = place.at("law").text();
  const auto found = std::find_if(laws.begin(), laws.end(), [&](const auto& l) { return l.first == law; });
  if (found == laws.end())
    place.at("law").refuse(
        fmt::format("\"{}\" is no law; there are free, complementary, boxed, bounded by, facets, cone", law));
  Block block{.law = found->second, .first = first};
  if (place.has("rows")) block.size = place.at("rows").index(std::numeric_limits<int>::max());
  if (block.law == Law::boxed) {
    const auto bound = [&](const char* key, double none) {
      return place.has(key) && !place.at(key).value->is_null() ? place.at(key).number() : none;
    };
    block.lower = bound("lower", -std::numeric_limits<double>::infinity());
    block.upper = bound("upper", std::numeric_limits<double>::infinity());
  }
  if (block.law == Law::bounded_by) block.parent = place.at("parent").index(std::numeric_limits<int>::max());
  if (place.has("friction")) {
    const PlaceInText friction = place.at("friction");
    if (friction.value->is_array()) {
      if (friction.size() != 2) friction.refuse("one coefficient or two are needed here");
      block.friction = {friction.at(std::size_t{0}).number(), friction.at(1).number()};
    } else {
      block.friction = {friction.number(), friction.number()};
    }
  }
  if (place.has("facets")) block.facets = place.at("facets").index(65);
  return block;
}

std::vector<Block> listed_blocks(const PlaceInText& root) {
  std::vector<Block> blocks;
  const PlaceInText list = root.at("blocks");
  int first = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    blocks.push_back(read_block(list.at(k), first));
    if (blocks.back().size > std::numeric_limits<int>::max() - first) list.at(k).refuse("too many rows");
    first += blocks.back().size;
  }
  return blocks;
}

ProblemFile read(const json& document, const std::string& file) {
  const PlaceInText root{&document, "", &file};
  ProblemFile out;
  out.name = root.has("name") ? root.at("name").text() : file;
  out.kind = root.at("kind").text();
  Problem& problem = out.problem;
  problem.b = read_vector(root.at("q"));
  const int size = problem.size();
  if (root.has("n") && root.at("n").number() != size)
    root.at("n").refuse(fmt::format("{}; the vector q has {} numbers", root.at("n").number(), size));
  if (out.kind == "lcp") problem.blocks = complementary_rows(size);
  else if (out.kind == "mlcp") problem.blocks = mixed_rows(root, size);
  else if (out.kind == "box") problem.blocks = boxed_rows(root, size);
  else if (out.kind == "friction") problem.blocks = friction_rows(root, size);
  else if (out.kind == "blocks") problem.blocks = listed_blocks(root);
  else root.at("kind").refuse(fmt::format("\"{}\" is no kind; there are lcp, mlcp, box, friction, blocks", out.kind));
  const int rows = problem.blocks.empty() ? 0 : problem.blocks.back().first + problem.blocks.back().size;
  if (rows != size) root.refuse(fmt::format("the blocks have {} rows and q {}", rows, size));
  problem.A = read_matrix(root.has("W") ? root.at("W") : root.at("M"), problem.blocks, size);
  try {
    check(problem);
  } catch (const ProblemError& error) {
    root.refuse(error.what());
  }
  return out;
}

// nlohmann counts bytes; people count lines.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  return fmt::format("{}:{}", line, before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1);
}

}  // namespace

ProblemFile parse_problem(std::string_view text, const std::string& file) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& error) {
    throw InputError(
        fmt::format("{}:{}: not JSON: {}", file, line_and_column(text, error.byte), shortened(error.what(), 300)));
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: {}", file, shortened(error.what(), 300)));
  }
  return read(document, file);
}

ProblemFile load_problem(const std::string& file) { return parse_problem(read_text_file(file), file); }

}  // namespace catena
