#include "catena/mechanism/operational_problem.h"

#include <algorithm>

#include "catena/math/dispatch.h"
#include "catena/mechanism/law_problem.h"
#include "catena/primary/node_responses.h"

namespace catena {

void use_pyramids(std::vector<solve::Block>& blocks, int n_f) {
  for (solve::Block& block : blocks) {
    if (block.law != solve::Law::cone) continue;
    block.law = solve::Law::facets;
    block.facets = block.size == 2 ? 2 : n_f;
  }
}

OperationalProblem::OperationalProblem(const ReducedSystem& system) : system_(&system), nodes_(system), rows_(system) {
  needed_.local.assign(system.links().size(), -1);
  problem_.A = Eigen::MatrixXd();
}

void OperationalProblem::add_term(BodyId body, const BodyVector& J) {
  const int node = system_->model().forest().node_of[body];
  const ReducedSystem::Link& link = system_->links()[static_cast<std::size_t>(node)];
  terms_.node.push_back(node);
  terms_.J.push_back(force_from<double>(J, system_->com(link)));
}

void OperationalProblem::end_row(double sigma) {
  terms_.start.push_back(static_cast<int>(terms_.J.size()));
  terms_.sigma.push_back(sigma);
}

void OperationalProblem::assemble_held(const Kinematics& kinematics, const HeldRows& held) {
  held_ = held.rows();
  own_ = 0;
  terms_.start.assign(1, 0);
  terms_.node.clear();
  terms_.J.clear();
  terms_.sigma.clear();
  rows_.truncate(0);
  const Model& model = system_->model().model();
  size_.setZero(held_);
  for (int i = 0; i < held_; ++i) {
    const auto r = static_cast<std::size_t>(i);
    for (auto t = static_cast<std::size_t>(held.start[r]); t < static_cast<std::size_t>(held.start[r + 1]); ++t) {
      add_term(held.body[t], held.J[t]);
      // What a row would answer without joints: the size its rounding errors are relative to.
      size_[i] += dot(held.J[t], inverse_times(model.bodies[held.body[t]].kind, kinematics.M(held.body[t]), held.J[t]));
    }
    end_row(0);
  }
  if (held_ == 0) return;
  fill();
  solver_.reserve(held_);
  solver_.factor(compliance(), size_);
}

void OperationalProblem::add_laws(const Kinematics& kinematics, const LawRows& laws, int n_f) {
  add_rigid_laws(laws);
  if (n_f > 0) use_pyramids(problem_.blocks, n_f);
  release_immobile_rows(kinematics, laws);
}

void OperationalProblem::add_rigid_laws(const LawRows& laws) {
  own_ = static_cast<int>(laws.rows.size());
  const auto held = static_cast<std::size_t>(held_);
  terms_.start.resize(held + 1);
  terms_.node.resize(static_cast<std::size_t>(terms_.start.back()));
  terms_.J.resize(terms_.node.size());
  terms_.sigma.resize(held);
  rows_.truncate(std::min(rows_.rows(), held_));
  problem_.blocks.clear();
  LawProblem::add_laws(laws, 0, problem_.blocks);
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      if (block.a.valid()) add_term(block.a, row.a);
      if (block.b.valid()) add_term(block.b, row.b);
      end_row(row.sigma);
    }
  add_pushes(laws);
  fill();
  auto& A = std::get<Eigen::MatrixXd>(problem_.A);
  A = compliance().block(held_, held_, own_, own_);
  for (int k = 0; k < own_; ++k) {
    const int push = terms_.push[static_cast<std::size_t>(k)];
    if (push == held_ + k) continue;
    A.col(k) = compliance().col(push).segment(held_, own_);
    A(k, k) += terms_.sigma[static_cast<std::size_t>(held_ + k)];
  }
  if (held_ > 0) eliminate_held();
}

// What oblique rows push along are rows of W of their own, A = J M̂⁻¹ K being a part of it.
void OperationalProblem::add_pushes(const LawRows& laws) {
  terms_.push.resize(laws.rows.size());
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      terms_.push[static_cast<std::size_t>(i)] = row.is_oblique() ? static_cast<int>(terms_.sigma.size()) : held_ + i;
      if (!row.is_oblique()) continue;
      if (block.a.valid()) add_term(block.a, laws.push_of(row).a);
      if (block.b.valid()) add_term(block.b, laws.push_of(row).b);
      end_row(0);
    }
}

// Counts of multiplications and additions. By bodies: carrying six motions and a compliance down the ways to the bodies, a block of 6x6 for every pair of
// bodies and of places where their ways part, the motions of the bodies under each row, and a product of six numbers for each pair of rows.
bool OperationalProblem::is_cheaper_by_rows() {
  constexpr double kWay = 600, kBlock = 400, kMotion = 66, kProduct = 6;
  const auto rows = static_cast<double>(terms_.sigma.size()), bodies = static_cast<double>(needed_.nodes.size());
  double by_rows = rows_.cost_of_fill(rows), deepest = 0;
  for (std::size_t i = 0; i < terms_.sigma.size(); ++i) {
    if (static_cast<int>(i) < rows_.rows()) continue;
    for (int t = terms_.start[i]; t < terms_.start[i + 1]; ++t)
      by_rows += rows_.cost_of_term(terms_.node[static_cast<std::size_t>(t)]);
  }
  for (const int node : needed_.nodes) deepest = std::max(deepest, nodes_.depth(node));
  const double junctions = 2 * bodies - 1;
  const double by_bodies = kWay * std::max(deepest, bodies) + 0.5 * kBlock * junctions * junctions +
                           kMotion * rows * bodies + kProduct * rows * rows;
  return by_rows < by_bodies;
}

void OperationalProblem::fill() {
  needed_.nodes = terms_.node;
  std::sort(needed_.nodes.begin(), needed_.nodes.end());
  needed_.nodes.erase(std::unique(needed_.nodes.begin(), needed_.nodes.end()), needed_.nodes.end());
  W_.resize(std::max(W_.size(), terms_.sigma.size() * terms_.sigma.size() + 3));
  if (is_cheaper_by_rows()) fill_by_rows();
  else fill_by_bodies();
  for (std::size_t i = 0; i < terms_.sigma.size(); ++i) W_[i * (terms_.sigma.size() + 1)] += terms_.sigma[i];
}

void OperationalProblem::fill_by_rows() {
  for (auto i = static_cast<std::size_t>(rows_.rows()); i < terms_.sigma.size(); ++i) {
    const auto first = static_cast<std::size_t>(terms_.start[i]),
               count = static_cast<std::size_t>(terms_.start[i + 1]) - first;
    rows_.add(std::span(terms_.node).subspan(first, count), std::span(terms_.J).subspan(first, count));
  }
  rows_.fill(W_.data());
}

void OperationalProblem::release_immobile_rows(const Kinematics& kinematics, const LawRows& laws) {
  const Model& model = system_->model().model();
  auto& A = std::get<Eigen::MatrixXd>(problem_.A);
  ease_.resize(laws.rows.size());
  for (const LawBlock& block : laws.blocks) {
    free_compliances(model, kinematics, laws, block, ease_.data() + block.first);
    for (int i = block.first; i < block.first + block.size; ++i) {
      double& ease = ease_[static_cast<std::size_t>(i)];
      const double alone = ease;
      ease = alone > 0 ? A(i, i) / alone : 0;
      A(i, i) = released_compliance(A(i, i), alone);
    }
  }
}

void OperationalProblem::eliminate_held() {
  X_.resize(held_, own_);
  for (int k = 0; k < own_; ++k)
    solver_.solve(compliance().col(terms_.push[static_cast<std::size_t>(k)]).head(held_), X_.col(k));
  std::get<Eigen::MatrixXd>(problem_.A).noalias() -= compliance().block(held_, 0, own_, held_) * X_;
}

void OperationalProblem::find_runs() {
  const std::size_t m = terms_.sigma.size();
  runs_.list.clear();
  runs_.others.clear();
  runs_.components.resize(6 * m + 3);
  for (std::size_t i = 0; i < m; ++i) {
    if (terms_.start[i + 1] - terms_.start[i] != 1) {
      runs_.others.push_back(i);
      continue;
    }
    const auto t = static_cast<std::size_t>(terms_.start[i]), node = static_cast<std::size_t>(terms_.place[t]);
    const Spatial& J = terms_.J[t];
    const double own[6] = {J.linear.x, J.linear.y, J.linear.z, J.angular.x, J.angular.y, J.angular.z};
    for (std::size_t k = 0; k < 6; ++k) runs_.components[k * m + i] = own[k];
    const bool follows = !runs_.list.empty() && runs_.list.back().last == i && runs_.list.back().node == node &&
                         i - runs_.list.back().first < NodeCompliance::kAtOnce;
    if (follows) ++runs_.list.back().last;
    else runs_.list.push_back({i, i + 1, node});
  }
}

// Entries below the diagonal only: a body counts as long as rows that come later touch it.
void OperationalProblem::find_last_rows() {
  needed_.last_row.assign(needed_.nodes.size(), 0);
  for (std::size_t j = 0; j < terms_.sigma.size(); ++j)
    for (auto t = static_cast<std::size_t>(terms_.start[j]); t < static_cast<std::size_t>(terms_.start[j + 1]); ++t)
      needed_.last_row[static_cast<std::size_t>(terms_.place[t])] = static_cast<int>(j);
}

// The responses to unit impulses along all rows of a run, side by side.
CATENA_INLINE void OperationalProblem::respond_to_run(const Run& run) {
  constexpr std::size_t kWidth = NodeCompliance::kAtOnce;
  runs_.response.resize(needed_.nodes.size() * 6 * kWidth);
  for (std::size_t i = 0; i < needed_.nodes.size(); ++i)
    if (needed_.last_row[i] >= static_cast<int>(run.first))
      nodes_.responses(static_cast<int>(i), static_cast<int>(run.node), runs_.components.data() + run.first,
                       terms_.sigma.size(), run.last - run.first, runs_.response.data() + i * 6 * kWidth);
}

// The response to a unit impulse along a row of no run.
void OperationalProblem::respond_to_row(std::size_t row) {
  std::fill(needed_.response.begin(), needed_.response.end(), Spatial{});
  for (auto t = static_cast<std::size_t>(terms_.start[row]); t < static_cast<std::size_t>(terms_.start[row + 1]); ++t)
    for (std::size_t i = 0; i < needed_.nodes.size(); ++i)
      if (needed_.last_row[i] >= static_cast<int>(row))
        needed_.response[i] += nodes_.response(static_cast<int>(i), terms_.place[t], terms_.J[t]);
}

// A column of W from its diagonal on, where `response`(node) is what a unit impulse along its row makes of a node. Rows of runs go by fours, up to three
// of what follows them included: that is written later. `run` is the first that does not end before the row.
template <class Response>
CATENA_INLINE void OperationalProblem::fill_column(std::size_t j, std::size_t run, const Response& response) {
  const std::size_t m = terms_.sigma.size();
  const double* const c = runs_.components.data();
  double* const column = W_.data() + j * m;
  for (; run < runs_.list.size(); ++run) {
    const Run& own = runs_.list[run];
    const auto [l, a] = response(own.node);
    for (std::size_t i = std::max(j, own.first); i < own.last; i += 4) {
      const double* const at = c + i;
      const Quad sum = (load_quad(at) * l.x + load_quad(at + m) * l.y) +
                       ((load_quad(at + 2 * m) * l.z + load_quad(at + 3 * m) * a.x) +
                        (load_quad(at + 4 * m) * a.y + load_quad(at + 5 * m) * a.z));  // as dot() adds
      store_quad(0.0 + sum, column + i);
    }
  }
  for (const std::size_t i : runs_.others) {
    if (i < j) continue;
    double sum = 0;
    for (auto t = static_cast<std::size_t>(terms_.start[i]); t < static_cast<std::size_t>(terms_.start[i + 1]); ++t)
      sum += dot(terms_.J[t], response(static_cast<std::size_t>(terms_.place[t])));
    column[i] = sum;
  }
}

// Column by column: what a unit impulse along one row makes of the bodies that rows touch.
CATENA_DISPATCH void OperationalProblem::fill_by_bodies() {
  constexpr std::size_t kWidth = NodeCompliance::kAtOnce;
  const std::size_t m = terms_.sigma.size(), nodes = needed_.nodes.size();
  nodes_.compute(needed_.nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    needed_.local[static_cast<std::size_t>(needed_.nodes[i])] = static_cast<int>(i);
  terms_.place.resize(terms_.node.size());
  for (std::size_t t = 0; t < terms_.node.size(); ++t)
    terms_.place[t] = needed_.local[static_cast<std::size_t>(terms_.node[t])];
  find_runs();
  find_last_rows();
  needed_.response.resize(nodes);
  std::size_t run = 0;
  for (std::size_t j = 0; j < m; ++j) {
    while (run < runs_.list.size() && runs_.list[run].last <= j) ++run;
    if (run < runs_.list.size() && runs_.list[run].first <= j) {
      if (runs_.list[run].first == j) respond_to_run(runs_.list[run]);
      const double* const own = runs_.response.data() + (j - runs_.list[run].first);
      fill_column(j, run, [&](std::size_t node) {
        const double* const y = own + node * 6 * kWidth;
        return Spatial{{0.0 + y[0], 0.0 + y[kWidth], 0.0 + y[2 * kWidth]},
                       {0.0 + y[3 * kWidth], 0.0 + y[4 * kWidth], 0.0 + y[5 * kWidth]}};
      });
    } else {
      respond_to_row(j);
      fill_column(j, run, [&](std::size_t node) { return needed_.response[node]; });
    }
  }
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = j + 1; i < m; ++i) W_[i * m + j] = W_[j * m + i];
}

void OperationalProblem::load(const Eigen::VectorXd& b) {
  problem_.b = b.tail(own_);
  if (held_ == 0) return;
  held_free_.resize(held_);
  solver_.solve(b.head(held_), held_free_);
  problem_.b.noalias() -= compliance().block(held_, 0, own_, held_) * held_free_;
}

void OperationalProblem::complete(const Eigen::VectorXd& laws, Eigen::VectorXd& z) {
  z.resize(rows());
  z.tail(laws.size()) = laws;
  if (held_ == 0) return;
  z.head(held_) = -held_free_;
  if (laws.size() > 0) z.head(held_).noalias() -= X_ * laws;
}

}  // namespace catena
