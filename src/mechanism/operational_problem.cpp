#include "catena/mechanism/operational_problem.h"

#include <algorithm>

#include "catena/mechanism/law_problem.h"

namespace catena {

void use_pyramids(std::vector<solve::Block>& blocks, int n_f) {
  for (solve::Block& block : blocks) {
    if (block.law != solve::Law::cone) continue;
    block.law = solve::Law::facets;
    block.facets = block.size == 2 ? 2 : n_f;
  }
}

OperationalProblem::OperationalProblem(const ReducedSystem& system)
    : system_(&system), nodes_(system), local_(system.links().size(), -1) {
  problem_.A = Eigen::MatrixXd();
}

void OperationalProblem::add_term(BodyId body, const BodyVector& J) {
  const int node = system_->model().forest().node_of[body];
  const ReducedSystem::Link& link = system_->links()[static_cast<std::size_t>(node)];
  term_node_.push_back(node);
  terms_.push_back(force_from<double>(J, system_->com(link)));
}

void OperationalProblem::end_row(double sigma) {
  term_start_.push_back(static_cast<int>(terms_.size()));
  sigma_.push_back(sigma);
}

void OperationalProblem::assemble(const Kinematics& kinematics, const HeldRows& held, const LawRows& laws, int n_f) {
  held_ = held.rows();
  term_start_.assign(1, 0);
  term_node_.clear();
  terms_.clear();
  sigma_.clear();
  for (int i = 0; i < held_; ++i) {
    const auto r = static_cast<std::size_t>(i);
    for (auto t = static_cast<std::size_t>(held.start[r]); t < static_cast<std::size_t>(held.start[r + 1]); ++t)
      add_term(held.body[t], held.J[t]);
    end_row(0);
  }
  problem_.blocks.clear();
  LawProblem::add_laws(laws, 0, problem_.blocks);
  if (n_f > 0) use_pyramids(problem_.blocks, n_f);
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      if (block.a.valid()) add_term(block.a, row.a);
      if (block.b.valid()) add_term(block.b, row.b);
      end_row(row.sigma);
    }
  needed_ = term_node_;
  std::sort(needed_.begin(), needed_.end());
  needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
  nodes_.compute(needed_);
  fill();

  const Eigen::Index own = W_.rows() - held_;
  auto& A = std::get<Eigen::MatrixXd>(problem_.A);
  A = W_.bottomRightCorner(own, own);
  if (held_ > 0) eliminate_held(kinematics, held);
  release_immobile_rows(kinematics, laws);
}

void OperationalProblem::release_immobile_rows(const Kinematics& kinematics, const LawRows& laws) {
  const Model& model = system_->model().model();
  auto& A = std::get<Eigen::MatrixXd>(problem_.A);
  ease_.resize(laws.rows.size());
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      const double alone = free_compliance(model, kinematics, block, row);
      ease_[static_cast<std::size_t>(i)] = alone > 0 ? A(i, i) / alone : 0;
      A(i, i) = released_compliance(A(i, i), alone);
    }
}

void OperationalProblem::eliminate_held(const Kinematics& kinematics, const HeldRows& held) {
  const Eigen::Index own = W_.rows() - held_;
  auto& A = std::get<Eigen::MatrixXd>(problem_.A);
  // What a row would answer without joints: the size its rounding errors are relative to.
  const Model& model = system_->model().model();
  size_.setZero(held_);
  for (int i = 0; i < held_; ++i)
    for (auto t = static_cast<std::size_t>(held.start[static_cast<std::size_t>(i)]);
         t < static_cast<std::size_t>(held.start[static_cast<std::size_t>(i) + 1]); ++t)
      size_[i] += dot(held.J[t], inverse_times(model.bodies[held.body[t]].kind, kinematics.M(held.body[t]), held.J[t]));
  solver_.reserve(held_);
  solver_.factor(W_.topLeftCorner(held_, held_), size_);
  X_.resize(held_, own);
  for (Eigen::Index k = 0; k < own; ++k) solver_.solve(W_.col(held_ + k).head(held_), X_.col(k));
  A.noalias() -= W_.bottomLeftCorner(own, held_) * X_;
}

// Column by column: what a unit impulse along one row makes of the bodies that rows touch.
void OperationalProblem::fill() {
  const int m = static_cast<int>(sigma_.size());
  W_.resize(m, m);
  for (std::size_t i = 0; i < needed_.size(); ++i) local_[static_cast<std::size_t>(needed_[i])] = static_cast<int>(i);
  response_.resize(needed_.size());
  const auto terms_of = [this](int row) {
    return std::pair(static_cast<std::size_t>(term_start_[static_cast<std::size_t>(row)]),
                     static_cast<std::size_t>(term_start_[static_cast<std::size_t>(row) + 1]));
  };
  // Entries below the diagonal only: a body counts as long as rows that come later touch it.
  last_row_.assign(needed_.size(), 0);
  for (int j = 0; j < m; ++j)
    for (auto [t, until] = terms_of(j); t < until; ++t)
      last_row_[static_cast<std::size_t>(local_[static_cast<std::size_t>(term_node_[t])])] = j;
  for (int j = 0; j < m; ++j) {
    std::fill(response_.begin(), response_.end(), Spatial{});
    const auto [from, until] = terms_of(j);
    for (std::size_t t = from; t < until; ++t)
      for (std::size_t i = 0; i < needed_.size(); ++i)
        if (last_row_[i] >= j)
          response_[i] +=
              nodes_.response(static_cast<int>(i), local_[static_cast<std::size_t>(term_node_[t])], terms_[t]);
    for (int i = j; i < m; ++i) {
      const auto [first, last] = terms_of(i);
      double sum = 0;
      for (std::size_t t = first; t < last; ++t)
        sum += dot(terms_[t], response_[static_cast<std::size_t>(local_[static_cast<std::size_t>(term_node_[t])])]);
      W_(i, j) = W_(j, i) = sum;
    }
    W_(j, j) += sigma_[static_cast<std::size_t>(j)];
  }
}

void OperationalProblem::load(const Eigen::VectorXd& b) {
  b_ = b;
  const Eigen::Index own = W_.rows() - held_;
  problem_.b = b.tail(own);
  if (held_ == 0) return;
  held_free_.resize(held_);
  solver_.solve(b.head(held_), held_free_);
  problem_.b.noalias() -= W_.bottomLeftCorner(own, held_) * held_free_;
}

void OperationalProblem::complete(const Eigen::VectorXd& laws, Eigen::VectorXd& z) {
  z.resize(W_.rows());
  z.tail(laws.size()) = laws;
  if (held_ == 0) return;
  z.head(held_) = -held_free_;
  if (laws.size() > 0) z.head(held_).noalias() -= X_ * laws;
}

}  // namespace catena
