#include "catena/mechanism/law_problem.h"

#include <algorithm>
#include <cmath>

#include "catena/model/components.h"
#include "catena/model/mechanisms.h"
#include "catena/primary/path_compliance.h"

namespace catena {

LawProblem::LawProblem(const Model& model)
    : model_(&model), component_(mechanisms(model)), jointed_(model.bodies.size(), 0) {
  for (const Joint& joint : model.joints)
    for (const BodyId body : bodies_of(model, joint)) jointed_[static_cast<std::size_t>(component_[body])] = 1;
}

LawProblem::~LawProblem() = default;

void LawProblem::add_laws(const LawRows& laws, int first_row, std::vector<solve::Block>& blocks) {
  for (const LawBlock& block : laws.blocks) {
    solve::Block law{.first = first_row + block.first, .size = block.size};
    switch (block.kind) {
      case LawKind::contact:
        if (block.size == 1) break;
        law.law = block.across.facets > 0 && block.size == 3 ? solve::Law::facets : solve::Law::cone;
        law.friction = block.across.friction;
        law.facets = block.across.facets;
        break;
      case LawKind::limit: law.law = solve::Law::complementary; break;
      case LawKind::dry_friction:
      case LawKind::motor:
      case LawKind::turn:
        law.law = solve::Law::boxed;
        law.lower = -block.bound;
        law.upper = block.bound;
        break;
      case LawKind::inertia:
      case LawKind::soft: law.law = solve::Law::free; break;
    }
    blocks.push_back(law);
  }
}

double bind_turns(LawRows& laws, std::vector<solve::Block>& blocks, const solve::Vector& z, int first_row) {
  double change = 0, largest = 0;
  const LawBlock* contact = nullptr;
  for (std::size_t k = 0; k < laws.blocks.size(); ++k) {
    LawBlock& block = laws.blocks[k];
    if (block.kind == LawKind::contact) contact = &block;
    if (block.kind != LawKind::turn) continue;
    // A contact's turns follow it. Where it has no say, neither have they.
    const bool pressed = contact && contact->key == block.turn.parent;
    const double bound = pressed ? block.turn.lever * std::max(0.0, z[first_row + contact->first]) : 0;
    change = std::max(change, std::abs(bound - block.bound));
    largest = std::max(largest, bound);
    block.bound = bound;
    solve::Block& law = blocks[blocks.size() - laws.blocks.size() + k];
    law.law = solve::Law::boxed;
    law.lower = -bound;
    law.upper = bound;
  }
  return largest > 0 ? change / largest : change;
}

bool follow_normals(const LawRows& laws, std::vector<solve::Block>& blocks, int first_row) {
  bool any = false;
  const LawBlock* contact = nullptr;
  for (std::size_t k = 0; k < laws.blocks.size(); ++k) {
    const LawBlock& block = laws.blocks[k];
    if (block.kind == LawKind::contact) contact = &block;
    if (block.kind != LawKind::turn || !contact || contact->key != block.turn.parent) continue;
    solve::Block& law = blocks[blocks.size() - laws.blocks.size() + k];
    law.law = solve::Law::bounded_by;
    law.parent = first_row + contact->first;
    law.friction[0] = block.turn.lever;
    any = true;
  }
  return any;
}

void LawProblem::assemble(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws) {
  problem_.blocks.clear();
  add_laws(laws, 0, problem_.blocks);
  const bool any_held = std::any_of(laws.blocks.begin(), laws.blocks.end(),
                                    [&](const LawBlock& block) { return is_held(block.a) || is_held(block.b); });
  const bool oblique =
      std::any_of(laws.rows.begin(), laws.rows.end(), [](const LawRow& row) { return row.is_oblique(); });
  if (any_held || oblique) assemble_blocks(kinematics, system, laws);
  else assemble_product(kinematics, laws);
}

void LawProblem::add_nodes(const Kinematics& kinematics, solve::ProductBuilder& builder) const {
  for (std::size_t i = 0; i < model_->bodies.size(); ++i) {
    const BodyKind kind = model_->bodies[i].kind;
    const int d = dimension(kind);
    std::array<double, 49> inverse{};
    std::array<double, 7> unit{}, column{};
    for (int k = 0; k < d; ++k) {
      unit.fill(0);
      unit[static_cast<std::size_t>(k)] = 1;
      components(kind, inverse_times(kind, kinematics.M(BodyId(i)), from_components(kind, unit.data())), column.data());
      for (int r = 0; r < d; ++r) inverse[static_cast<std::size_t>(r * d + k)] = column[static_cast<std::size_t>(r)];
    }
    builder.node(d, {inverse.data(), static_cast<std::size_t>(d * d)});
  }
}

void LawProblem::add_rows(const LawRows& laws, solve::ProductBuilder& builder) const {
  std::array<double, kMaxRows> sigma{};
  std::array<double, 7 * kMaxRows> G{};
  for (const LawBlock& block : laws.blocks) {
    const auto size = static_cast<std::size_t>(block.size), first = static_cast<std::size_t>(block.first);
    for (std::size_t i = 0; i < size; ++i) sigma[i] = laws.rows[first + i].sigma;
    builder.rows({sigma.data(), size});
    for (const LawSide& side : sides_of(block)) {
      if (!side.body.valid()) continue;
      const BodyKind kind = model_->bodies[side.body].kind;
      const auto d = static_cast<std::size_t>(dimension(kind));
      for (std::size_t i = 0; i < size; ++i) components(kind, J_at(side, laws, laws.rows[first + i]), G.data() + i * d);
      builder.entry(side.body.value(), {G.data(), size * d});
    }
  }
}

solve::ProductBuilder LawProblem::begin_product() {
  if (auto* last = std::get_if<solve::Product>(&problem_.A)) return solve::ProductBuilder(std::move(*last));
  return {};
}

void LawProblem::assemble_product(const Kinematics& kinematics, const LawRows& laws) {
  solve::ProductBuilder builder = begin_product();
  add_nodes(kinematics, builder);
  add_rows(laws, builder);
  problem_.A = builder.build();
}

// Rows of one joint that touch the same bodies are one block, solved exactly in a sweep; those of a coupling may not.
int LawProblem::block_size(const RowSet& joints, int row) {
  const auto bodies = [&](int i) {
    const auto r = static_cast<std::size_t>(i);
    return std::span(joints.body)
        .subspan(static_cast<std::size_t>(joints.start[r]),
                 static_cast<std::size_t>(joints.start[r + 1] - joints.start[r]));
  };
  const auto first = bodies(row);
  int size = 1;
  while (size < kMaxRows && row + size < joints.rows() &&
         joints.joint_of[static_cast<std::size_t>(row + size)] == joints.joint_of[static_cast<std::size_t>(row)] &&
         std::ranges::equal(bodies(row + size), first))
    ++size;
  return size;
}

void LawProblem::add_joint(const RowSet& joints, int row, int size, std::span<const double> sigma,
                           solve::ProductBuilder& builder) const {
  const auto first = static_cast<std::size_t>(row), count = static_cast<std::size_t>(size);
  std::array<double, 7 * kMaxRows> G{};
  builder.rows(sigma.subspan(first, count));
  const auto terms = static_cast<std::size_t>(joints.start[first + 1] - joints.start[first]);
  for (std::size_t k = 0; k < terms; ++k) {
    const BodyId body = joints.body[static_cast<std::size_t>(joints.start[first]) + k];
    const BodyKind kind = model_->bodies[body].kind;
    const auto d = static_cast<std::size_t>(dimension(kind));
    for (std::size_t i = 0; i < count; ++i)
      components(kind, joints.J[static_cast<std::size_t>(joints.start[first + i]) + k], G.data() + i * d);
    builder.entry(body.value(), {G.data(), count * d});
  }
}

void LawProblem::assemble_all(const Kinematics& kinematics, const RowSet& joints, std::span<const double> sigma,
                              const LawRows& laws) {
  ease_.clear();  // no joint has answered: every row moves as easily as without them
  problem_.blocks.clear();
  solve::ProductBuilder builder = begin_product();
  add_nodes(kinematics, builder);
  for (int row = 0; row < joints.rows();) {
    const int size = block_size(joints, row);
    add_joint(joints, row, size, sigma, builder);
    problem_.blocks.push_back({.law = solve::Law::free, .first = row, .size = size});
    row += size;
  }
  add_rows(laws, builder);
  add_laws(laws, joints.rows(), problem_.blocks);
  problem_.A = builder.build();
}

// The bodies with joints that laws touch, and how they answer each other where the system knows it at once.
void LawProblem::find_compliance(ConstraintSystem& system, const LawRows& laws) {
  held_.bodies.clear();
  const auto add = [&](BodyId body) {
    if (!is_held(body) || held_.at[body] >= 0) return;
    held_.at[body] = 0;
    held_.bodies.push_back(body);
  };
  for (const LawBlock& block : laws.blocks)
    for (const LawSide& side : sides_of(block)) add(side.body);
  std::sort(held_.bodies.begin(), held_.bodies.end());
  int first = 0;
  for (const BodyId body : held_.bodies) {
    held_.at[body] = first;
    first += dimension(model_->bodies[body].kind);
  }
  held_.has_compliance = system.body_compliance(held_.bodies, held_.compliance);
}

// The motion of the bodies laws touch under a unit impulse along a row, once the joints have answered.
void LawProblem::respond(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws,
                         const LawBlock& block, const LawRow& push) {
  for (const BodyId body : touched_) response_[body] = {};
  const bool held = is_held(block.a) || is_held(block.b);
  if (held && !held_.has_compliance) {
    std::fill(response_.begin(), response_.end(), BodyVector{});
    add_force(laws, block, push, 1, response_);
    system.solve(zero_, response_, lambda_);
    return;
  }
  add_force(laws, block, push, 1, response_);
  if (held) held_.pushed.setZero(held_.compliance.rows());
  for (const LawSide& side : sides_of(block)) {
    const BodyId body = side.body;
    if (!body.valid()) continue;
    const BodyKind kind = model_->bodies[body].kind;
    if (!is_held(body)) {
      response_[body] = inverse_times(kind, kinematics.M(body), response_[body]);
      continue;
    }
    std::array<double, 7> force{};
    const int d = components(kind, response_[body], force.data());
    for (int i = 0; i < d; ++i)
      held_.pushed += force[static_cast<std::size_t>(i)] * held_.compliance.col(held_.at[body] + i);
    response_[body] = {};
  }
  if (!held) return;
  for (const BodyId body : held_.bodies)
    response_[body] = from_components(model_->bodies[body].kind, held_.pushed.data() + held_.at[body]);
}

// Blocks that share no mechanism do not answer each other.
void LawProblem::lay_out(const LawRows& laws, solve::BlockSparse& A) {
  const std::size_t count = laws.blocks.size();
  const auto shares = [&](const LawBlock& p, const LawBlock& q) {
    const int a = component(p.a), b = component(p.b), c = component(q.a), d = component(q.b);
    return (a >= 0 && (a == c || a == d)) || (b >= 0 && (b == c || b == d));
  };
  A.cut.resize(count + 1);
  A.entry_start.assign(1, 0);
  A.entries.clear();
  place_.assign(count * count, -1);
  int value = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const LawBlock& row = laws.blocks[r];
    A.cut[r] = row.first;
    for (std::size_t c = 0; c < count; ++c) {
      if (r != c && !shares(row, laws.blocks[c])) continue;
      place_[r * count + c] = value;
      A.entries.push_back({static_cast<int>(c), value});
      value += row.size * laws.blocks[c].size;
    }
    A.entry_start.push_back(static_cast<int>(A.entries.size()));
  }
  A.cut[count] = static_cast<int>(laws.rows.size());
  A.values.assign(static_cast<std::size_t>(value), 0.0);
}

void LawProblem::assemble_blocks(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws) {
  auto* A = std::get_if<solve::BlockSparse>(&problem_.A);
  if (!A) A = &problem_.A.emplace<solve::BlockSparse>();
  lay_out(laws, *A);
  if (!fill_by_paths(system, laws, *A)) fill_by_columns(kinematics, system, laws, *A);
  const std::size_t count = laws.blocks.size();
  for (std::size_t c = 0; c < count; ++c) {
    const LawBlock& block = laws.blocks[c];
    for (int i = 0; i < block.size; ++i)
      A->values[static_cast<std::size_t>(place_[c * count + c] + i * block.size + i)] +=
          laws.rows[static_cast<std::size_t>(block.first + i)].sigma;
  }
}

// Column by column.
void LawProblem::fill_by_columns(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws,
                                 solve::BlockSparse& A) {
  zero_.assign(static_cast<std::size_t>(system.rows()), 0.0);
  lambda_.resize(zero_.size());
  response_.resize(model_->bodies.size());
  held_.at.resize(response_.size(), -1);
  find_compliance(system, laws);
  touched_.clear();
  for (const LawBlock& block : laws.blocks)
    for (const LawSide& side : sides_of(block))
      if (side.body.valid()) touched_.push_back(side.body);
  const std::size_t count = laws.blocks.size();
  for (std::size_t c = 0; c < count; ++c) {
    const LawBlock& column = laws.blocks[c];
    for (int j = 0; j < column.size; ++j) {
      respond(kinematics, system, laws, column, laws.rows[static_cast<std::size_t>(column.first + j)]);
      for (std::size_t r = 0; r < count; ++r) {
        if (place_[r * count + c] < 0) continue;
        const LawBlock& row = laws.blocks[r];
        double* to = A.values.data() + place_[r * count + c] + j;
        for (int i = 0; i < row.size; ++i)
          to[i * column.size] = times(laws, row, laws.rows[static_cast<std::size_t>(row.first + i)], response_);
      }
    }
  }
  for (const BodyId body : held_.bodies) held_.at[body] = -1;
}

void LawProblem::release_immobile_rows(const Kinematics& kinematics, const LawRows& laws) {
  ease_.clear();
  auto* matrix = std::get_if<solve::BlockSparse>(&problem_.A);
  if (!matrix) return;  // nothing answers through joints
  solve::BlockSparse& A = *matrix;
  const std::size_t count = laws.blocks.size();
  ease_.resize(laws.rows.size());
  for (std::size_t c = 0; c < count; ++c) {
    const LawBlock& block = laws.blocks[c];
    for (int i = 0; i < block.size; ++i) {
      double& entry = A.values[static_cast<std::size_t>(place_[c * count + c] + i * block.size + i)];
      const double alone =
          free_compliance(*model_, kinematics, laws, block, laws.rows[static_cast<std::size_t>(block.first + i)]);
      ease_[static_cast<std::size_t>(block.first + i)] = alone > 0 ? entry / alone : 0;
      entry = released_compliance(entry, alone);
    }
  }
}

double free_compliance(const Model& model, const Kinematics& kinematics, const LawRows& laws, const LawBlock& block,
                       const LawRow& row) {
  double sum = 0;
  for (const LawSide& side : sides_of(block)) {
    if (!side.body.valid()) continue;
    const BodyVector& J = J_at(side, laws, row);
    sum += dot(J, inverse_times(model.bodies[side.body].kind, kinematics.M(side.body), J));
  }
  return sum;
}

void free_compliances(const Model& model, const Kinematics& kinematics, const LawRows& laws, const LawBlock& block,
                      double* out) {
  std::fill_n(out, block.size, 0.0);
  for (const LawSide& side : sides_of(block)) {
    if (!side.body.valid()) continue;
    const BodyKind kind = model.bodies[side.body].kind;
    const MassBlock& M = kinematics.M(side.body);
    const bool rigid = kind == BodyKind::rigid;  // inverted once
    const Sym3 inverted = rigid ? inverse(M.angular) : Sym3{};
    for (int i = 0; i < block.size; ++i) {
      const BodyVector& J = J_at(side, laws, laws.row(block, i));
      out[i] += dot(J, rigid ? BodyVector{J.linear / M.linear, inverted * J.angular, 0} : inverse_times(kind, M, J));
    }
  }
}

double released_compliance(double compliance, double alone) {
  constexpr double kImmobile = 1e-13, kStiff = 1e-6;
  if (std::abs(compliance) <= kImmobile * alone) return alone > 0 ? alone : 1;
  if (compliance < 0) return compliance;  // friction presses the contact further in (Painlevé)
  return std::max(compliance, kStiff * alone);
}

}  // namespace catena
