#include "catena/solve/lcp_form.h"

#include <cmath>
#include <numbers>

#include "catena/math/elementary.h"

namespace catena::solve {
namespace {

class Expansion {
 public:
  explicit Expansion(const Problem& problem) : problem_(problem), z0_(Vector::Zero(problem.size())) {}

  LcpForm build(int cone_facets) {
    for (const Block& block : problem_.blocks) add(block, cone_facets);
    return finish();
  }

 private:
  int variable(bool is_free, double c = 0) {
    form_.is_free.push_back(is_free ? 1 : 0);
    c_.push_back(c);
    return static_cast<int>(c_.size()) - 1;
  }
  int variable_along(int row, double coefficient, bool is_free = false) {
    const int y = variable(is_free);
    E_.emplace_back(row, y, coefficient);
    return y;
  }
  void couple(int row, int column, double value) { C_.emplace_back(row, column, value); }

  void add(const Block& block, int cone_facets) {
    switch (block.law) {
      case Law::free:
      case Law::complementary:
        for (int i = 0; i < block.size; ++i) {
          const int y = variable_along(block.first + i, 1, block.law == Law::free);
          if (block.law == Law::complementary) parents_.emplace_back(block.first + i, y);
        }
        break;
      case Law::boxed: add_box(block); break;
      case Law::bounded_by: later_.push_back(&block); break;
      case Law::facets: add_pyramid(block, block.size == 2 ? 2 : block.facets); break;
      case Law::cone:
        if (cone_facets == 0) {
          keep(block);
          break;
        }
        if (block.size == 3) form_.approximate = true;
        add_pyramid(block, block.size == 2 ? 2 : cone_facets);
        break;
    }
  }

  void keep(const Block& cone) {
    Block kept = cone;
    kept.first = static_cast<int>(c_.size());
    for (int i = 0; i < cone.size; ++i) variable_along(cone.first + i, 1);
    form_.cones.push_back(kept);
  }

  // z = lower + x, w + t ⟂ x, upper − lower − x ⟂ t; with one bound only, x counts from there.
  void add_box(const Block& block) {
    const bool below = std::isfinite(block.lower), above = std::isfinite(block.upper);
    z0_[block.first] = below ? block.lower : above ? block.upper : 0;
    if (!below && !above) {
      variable_along(block.first, 1, true);
    } else if (!below) {
      variable_along(block.first, -1);
    } else if (block.lower < block.upper) {
      const int x = variable_along(block.first, 1);
      if (!above) return;
      const int t = variable(false, block.upper - block.lower);
      couple(x, t, 1);
      couple(t, x, -1);
    }
  }

  // 0 ≤ z_n ⟂ w_n ≥ 0;   d_jᵀw_t + σ ⟂ β_j;   friction z_n − Σβ ⟂ σ.                                        Jain eq. 10
  void add_pyramid(const Block& block, int directions) {
    const int n = variable_along(block.first, 1);
    const int first = static_cast<int>(c_.size());
    for (int j = 0; j < directions; ++j) {
      const double angle = 2 * std::numbers::pi * j / directions;
      const bool scaled = block.law == Law::cone && block.size == 3;
      // Directions of an ellipse reach to its edge: β counts in units of z_n there.
      const double x = portable::cos(angle) * (scaled ? block.friction[0] : 1);
      const double y = portable::sin(angle) * (scaled ? block.friction[1] : 1);
      const int beta = variable(false);
      E_.emplace_back(block.first + 1, beta, x);
      if (block.size == 3) E_.emplace_back(block.first + 2, beta, y);
    }
    const int sigma = variable(false);
    couple(sigma, n, block.law == Law::cone && block.size == 3 ? 1 : block.friction[0]);
    close_pyramid(first, directions, sigma);
  }

  void close_pyramid(int first, int directions, int sigma) {
    for (int j = 0; j < directions; ++j) {
      couple(first + j, sigma, 1);
      couple(sigma, first + j, -1);
    }
  }

  // One tangent whose normal row stands elsewhere: β₊ − β₋ along it.
  void add_bounded(const Block& block) {
    int parent = -1;
    for (const auto& [row, y] : parents_)
      if (row == block.parent) parent = y;
    const int first = variable_along(block.first, 1);
    variable_along(block.first, -1);
    const int sigma = variable(false);
    couple(sigma, parent, block.friction[0]);
    close_pyramid(first, 2, sigma);
  }

  LcpForm finish() {
    for (const Block* block : later_) add_bounded(*block);
    const int size = static_cast<int>(c_.size());
    form_.E.resize(problem_.size(), size);
    form_.E.setFromTriplets(E_.begin(), E_.end());
    form_.z0 = z0_;
    Vector at_z0;
    multiply(problem_.A, z0_, at_z0);
    form_.q = form_.E.transpose() * (at_z0 + problem_.b) + Eigen::Map<const Vector>(c_.data(), size);
    const Eigen::MatrixXd AE = to_dense(problem_.A) * form_.E;
    form_.M = form_.E.transpose() * AE;
    for (const auto& t : C_) form_.M(t.row(), t.col()) += t.value();
    return std::move(form_);
  }

  const Problem& problem_;
  LcpForm form_;
  Vector z0_;
  std::vector<double> c_;
  std::vector<Eigen::Triplet<double>> E_, C_;
  std::vector<std::pair<int, int>> parents_;  // complementary rows and their variables
  std::vector<const Block*> later_;
};

}  // namespace

LcpForm to_lcp(const Problem& problem, int cone_facets) { return Expansion(problem).build(cone_facets); }

Problem problem_of(const LcpForm& form) {
  Problem problem{form.M, form.q, {}};
  auto cone = form.cones.begin();
  for (int i = 0; i < form.size();) {
    if (cone != form.cones.end() && cone->first == i) {
      problem.blocks.push_back(*cone++);
    } else {
      problem.blocks.push_back({.law = form.is_free[i] ? Law::free : Law::complementary, .first = i, .size = 1});
    }
    i += problem.blocks.back().size;
  }
  return problem;
}

}  // namespace catena::solve
