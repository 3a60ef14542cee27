#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "catena/scene/generator.h"

namespace catena {
namespace {

constexpr long long kFarthest = 1'000'000'000'000;  // what may be added to an index

std::string substitute(const std::string& text, long long i) {
  std::string out;
  std::size_t from = 0;
  while (true) {
    const std::size_t open = text.find("{i", from);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return out + text.substr(from);
    out += text.substr(from, open - from);
    const std::string_view inside = std::string_view(text).substr(open + 2, close - open - 2);
    long long add = 0;
    const char* begin = inside.starts_with('+') ? inside.data() + 1 : inside.data();
    const char* end = inside.data() + inside.size();
    const bool sign = inside.starts_with('+') || inside.starts_with('-');
    const auto [stop, error] = std::from_chars(begin, end, add);
    const bool understood = inside.empty() || (sign && error == std::errc{} && stop == end);
    out += understood && add < kFarthest && add > -kFarthest ? std::to_string(i + add)
                                                             : text.substr(open, close + 1 - open);
    from = close + 1;
  }
}

struct Block {
  long long count, first;
  Vec3 base, offset;  // of the first copy, and from each to the next
};

constexpr std::array<std::string_view, 5> kParts = {"bodies", "joints", "forces", "springs", "actuators"};

// {count, first, base, offset, bodies, joints, forces, springs, actuators}.
Block read_block(const Value& value, const Draft& draft) {
  const Fields fields(value, "repeat",
                      {"count", "first", "base", "offset", "bodies", "joints", "forces", "springs", "actuators",
                       "chain", "tree", "cloth"});
  for (const std::string_view key : {"chain", "tree", "cloth"}) {
    if (fields.has(key)) fields.refuse(key, fmt::format("'{}' stands alone in its entry of repeat:", key));
  }
  const long long count = read_count(fields.need("count", "10"), "count", 1);
  const long long first = fields.has("first") ? read_count(*fields.find("first"), "first", 0) : 0;
  if (first > kFarthest) fields.refuse("first", fmt::format("first: at most {}", kFarthest));
  const auto vector = [&](const char* key) {
    const Value* given = fields.find(key);
    return given != nullptr ? read_vector(*given, key, quantity::kLength, draft.flat) : Vec3{};
  };
  bool any = false;
  for (const std::string_view part : kParts) any = any || fields.has(part);
  if (!any) fail(value.at, "repeat: has nothing to repeat; give bodies:, joints:, forces:, springs: or actuators:");
  return {count, first, vector("base"), vector("offset")};
}

// Reads the copies of one part of a block, one at a time, each shifted to its place.
template <class Read>
void read_copies(const Value& value, std::string_view part, Draft& draft, const Read& read) {
  const Block block = read_block(value, draft);
  const Value* inside = value.find(part);
  if (inside == nullptr) return;
  const Value& count = *value.find("count");
  const auto each = static_cast<long long>(std::max<std::size_t>(inside->items.size(), 1));
  const bool bodies = part == "bodies";
  if (block.count > (bodies ? Draft::kMostBodies : Draft::kMostLinks))
    fail(count.at, fmt::format("count: {} copies; at most {} bodies are generated, and {} joints and others",
                               block.count, Draft::kMostBodies, Draft::kMostLinks));
  if (bodies) draft.expect_bodies(block.count * each, count.at);
  else draft.expect_links(block.count * each, count.at);
  const Vec3 shift = draft.shift;
  for (long long k = 0; k < block.count; ++k) {
    draft.shift = shift + block.base + static_cast<double>(k) * block.offset;
    read(with_index(*inside, block.first + k), draft);
  }
  draft.shift = shift;
}

const Value* alone(const Value& generator, std::string_view name) {
  return generator.is_map() && generator.keys.size() == 1 ? generator.find(name) : nullptr;
}

template <class Visit>
void for_each_generator(const Value& root, const Visit& visit) {
  const Value* repeat = root.find("repeat");
  if (repeat == nullptr || repeat->is_null()) return;
  if (repeat->is_map()) return visit(*repeat);
  for (const Value& generator : read_list(*repeat, "repeat")) visit(generator);
}

}  // namespace

Value with_index(const Value& block, long long i) {
  Value out;
  out.kind = block.kind;
  out.at = block.at;
  out.text = substitute(block.text, i);
  for (const Key& key : block.keys) out.keys.push_back({substitute(key.text, i), key.at});
  for (const Value& item : block.items) out.items.push_back(with_index(item, i));
  return out;
}

void generate_bodies(const Value& root, Draft& draft) {
  for_each_generator(root, [&](const Value& generator) {
    if (const Value* chain = alone(generator, "chain")) return add_links(plan_chain(*chain, draft), draft);
    if (const Value* tree = alone(generator, "tree")) return add_links(plan_tree(*tree, draft), draft);
    if (const Value* cloth = alone(generator, "cloth")) return add_cloth(*cloth, draft);
    read_copies(generator, "bodies", draft, read_bodies);
  });
}

void generate_joints(const Value& root, Draft& draft) {
  for_each_generator(root, [&](const Value& generator) {
    if (const Value* chain = alone(generator, "chain")) return join_links(plan_chain(*chain, draft), draft);
    if (const Value* tree = alone(generator, "tree")) return join_links(plan_tree(*tree, draft), draft);
    if (const Value* cloth = alone(generator, "cloth")) return join_cloth(*cloth, draft);
    read_copies(generator, "joints", draft, read_joints);
    read_copies(generator, "forces", draft, read_forces);
    read_copies(generator, "springs", draft, read_springs);
    read_copies(generator, "actuators", draft, read_actuators);
  });
}

}  // namespace catena
