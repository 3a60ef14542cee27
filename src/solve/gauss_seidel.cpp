#include "catena/solve/gauss_seidel.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "catena/math/scalar.h"
#include "catena/solve/local_laws.h"
#include "catena/solve/sweep_kernels.h"

namespace catena::solve {
namespace {

double square_sum(const double* r, int size) {
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += r[i] * r[i];
  return sum;
}

double reach_of(const Block& block, const Vector& z) { return block.friction[0] * std::max(z[block.parent], 0.0); }

// The nearest point of the cone, in the coordinates that make it a circle.
void put_in_cone(const FrictionBlock& B, int tangents, double* z) {
  const FrictionPoint p = to_friction_point(B, tangents, z);
  double v[3] = {p.n, p.y[0], p.y[1]};
  project_on_cone(B.friction, 2, v);
  from_friction_point(B, tangents, {v[0], {v[1], v[2]}}, z);
}

// Calls work<rows of the block, width of its strips>(), zeros where they vary.
template <class Work>
inline void with_sizes(const SweepRows::Row& row, const Work& work) {
  using Shape = SweepRows::Shape;
  switch (row.shape) {
    case Shape::friction_by_six:
    case Shape::three_by_six: return work.template operator()<3, 6>();
    case Shape::friction_by_three:
    case Shape::three_by_three: return work.template operator()<3, 3>();
    case Shape::one_by_six: return work.template operator()<1, 6>();
    case Shape::any: return work.template operator()<0, 0>();
  }
}

}  // namespace

// Line 11 of Algorithm 3.1: the block's problem (17) under its law. For `free` blocks it is line 6 of 2.1 and line 12 of 2.2.
inline void GaussSeidel::solve_block(int k, const double* r, double* z) {
  const Row& row = rows_.rows[k];
  const double* local = rows_.local(row);
  const double* lambda = lambda_.data() + row.first;
  const Block& block = problem_->blocks[k];
  switch (row.law) {
    case Law::cone: solve_friction(rows_.friction(row), options.friction, row.size - 1, r, lambda, z); return;
    case Law::free: solve_free(row.size, local, r, lambda, z); return;
    case Law::complementary:
      if (row.size == 1) z[0] = solve_bounded(local[0], r[0], lambda[0], 0, kInfinity);
      else solve_complementary(row.size, local, r, lambda, z);
      return;
    case Law::boxed: z[0] = solve_bounded(local[0], r[0], lambda[0], block.lower, block.upper); return;
    case Law::bounded_by: {
      const double reach = reach_of(block, lambda_);
      z[0] = solve_bounded(local[0], r[0], lambda[0], -reach, reach);
      return;
    }
    case Law::facets: solve_facets(block, local, r, lambda, z); return;
  }
}

void GaussSeidel::put_on_set(int k, double* z) const {
  const Row& row = rows_.rows[k];
  const Block& block = problem_->blocks[k];
  switch (row.law) {
    case Law::free: return;
    case Law::complementary:
      for (int i = 0; i < row.size; ++i) z[i] = std::max(z[i], 0.0);
      return;
    case Law::boxed: z[0] = std::clamp(z[0], block.lower, block.upper); return;
    case Law::bounded_by: {
      const double reach = reach_of(block, lambda_);
      z[0] = std::clamp(z[0], -reach, reach);
      return;
    }
    case Law::facets:
      if (row.size == 2) project_on_cone(block.friction[0], 1, z);
      else project_on_facets(block.friction[0], block.facets, z);
      return;
    case Law::cone: put_in_cone(rows_.friction(row), row.size - 1, z); return;
  }
}

// Lines 7–13 of Algorithm 2.1: the residuals of all blocks that share a node with block k (of a matrix: that have an entry in its column).
void GaussSeidel::scatter(int k, const double* change) {
  const Row& row = rows_.rows[k];
  const auto read = [&](int place, const double* d, int width) {
    for (int at = rows_.reader_start[place]; at < rows_.reader_start[place + 1]; ++at) {  // 10
      const SweepRows::Reader& reader = rows_.readers[at];
      const Row& other = rows_.rows[reader.row];
      for (int i = 0; i < other.size; ++i)  // 11: r_c = r_c + G_cb d_b
        r_[other.first + i] +=
            kernels::ConstVector(rows_.values.data() + reader.value + i * std::ptrdiff_t{width}, width)
                .dot(kernels::ConstVector(d, width));
    }
  };
  if (!rows_.product) {
    read(k, change, row.size);
    return;
  }
  for (int i = 0; i < row.size; ++i) r_[row.first + i] += rows_.sigma(row)[i] * change[i];  // 7: r = r + Σ_kk z
  for (int s = row.strip; s < row.strip + row.strips; ++s) {                                // 8
    const SweepRows::Strip& strip = rows_.strips[s];
    Eigen::Map<Vector> d(visit_.node.data(), strip.width);
    d.setZero();
    for (int i = 0; i < row.size; ++i)  // 9: d_b = M_b⁻¹ G_kbᵀ z, in coordinates of M = 1
      d += change[i] *
           kernels::ConstVector(rows_.values.data() + strip.value + i * std::ptrdiff_t{strip.width}, strip.width);
    read(strip.place, visit_.node.data(), strip.width);
    x_.segment(strip.start, strip.width) += d;  // 13: v_b = v_b + d_b
  }
}

template <GaussSeidelOptions::Algorithm algorithm, int kRows, int kWidth>
inline void GaussSeidel::visit(int k) {
  const Row& row = rows_.rows[k];
  const int size = kRows > 0 ? kRows : row.size;
  double few[6];
  double* r = kRows > 0 ? few : visit_.block.data();
  double* z = r + size;
  double* lambda = lambda_.data() + row.first;
  const double* x = rows_.product ? x_.data() : lambda_.data();
  if constexpr (algorithm == Algorithm::kept_residual) std::copy_n(r_.data() + row.first, size, r);
  else kernels::residual<kRows, kWidth>(rows_, row, lambda, x, r);              // 2.2, 3.1: lines 7–10
  if constexpr (algorithm == Algorithm::monitored) xi_ -= square_sum(r, size);  // 2.2: line 11
  solve_block(k, r, z);                                                         // 2.1: 6, 2.2: 12, 3.1: 11
  if (options.relaxation != 1) {
    for (int i = 0; i < size; ++i) z[i] = lambda[i] + options.relaxation * (z[i] - lambda[i]);
    put_on_set(k, z);
  }
  for (int i = 0; i < size; ++i) {  // 2.2: 13, 3.1: 12. z becomes Δλ
    const double next = z[i];
    z[i] -= lambda[i];
    lambda[i] = next;
  }
  if constexpr (algorithm == Algorithm::kept_residual) scatter(k, z);
  else if (rows_.product) kernels::push<kRows, kWidth>(rows_, row, z, x_.data());  // 2.2: 14–16, 3.1: 13–16
  if constexpr (algorithm == Algorithm::monitored) {
    kernels::residual<kRows, kWidth>(rows_, row, lambda, x, r);  // 17–20
    xi_ += square_sum(r, size);                                  // 21
  }
}

template <GaussSeidelOptions::Algorithm algorithm>
void GaussSeidel::sweep_blocks(const SweepOrder& order) {
  double* x = rows_.product ? x_.data() : lambda_.data();
  for (int i = 0; i < order.count; ++i) {  // 2.1: line 5, 2.2 and 3.1: line 6
    if (algorithm == Algorithm::plain && options.relaxation == 1) {
      i = sweep_friction(rows_, options.friction, order, i, lambda_.data(), x);
      if (i == order.count) return;
    }
    const int k = order[i];
    with_sizes(rows_.rows[k], [&]<int kRows, int kWidth>() { visit<algorithm, kRows, kWidth>(k); });
  }
}

// The same visits as sweep_blocks makes in this order, most of them by fours and eights.
void GaussSeidel::sweep_coloured() {
  for (const Colouring::Run& run : colours_.colouring.runs)
    if (run.lanes == 1) sweep_blocks<Algorithm::plain>({colours_.colouring.order.data() + run.first, run.count, false});
    else sweep_lanes(colours_.lanes, options.friction, run, lambda_.data(), x_.data());
}

template <GaussSeidelOptions::Algorithm algorithm>
void GaussSeidel::sweep_all() {
  const auto count = static_cast<int>(rows_.rows.size());
  const bool backward = options.order == Order::symmetric && sweeps_ % 2 == 1;
  switch (options.order) {
    case Order::given:
    case Order::symmetric: return sweep_blocks<algorithm>({nullptr, count, backward});
    case Order::random: return sweep_blocks<algorithm>({shuffled_->order.data(), count, false});
    case Order::coloured:
      if (algorithm == Algorithm::plain && options.relaxation == 1) return sweep_coloured();
      return sweep_blocks<algorithm>({colours_.colouring.order.data(), count, false});
  }
}

void GaussSeidel::Shuffled::begin(std::size_t blocks, std::uint64_t seed) {
  order.resize(blocks);
  std::iota(order.begin(), order.end(), 0);
  random.seed(seed);
}

void GaussSeidel::Shuffled::shuffle() {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

void GaussSeidel::sweep() {
  if (options.order == Order::random) shuffled_->shuffle();
  switch (options.algorithm) {
    case Algorithm::kept_residual: sweep_all<Algorithm::kept_residual>(); break;
    case Algorithm::monitored: sweep_all<Algorithm::monitored>(); break;
    case Algorithm::plain: sweep_all<Algorithm::plain>(); break;
  }
  ++sweeps_;
}

// v − v¹ = M⁻¹Gᵀλ and r = G v + Σ λ − q from λ alone: lines 2 and 3, and a fresh start against rounding at every evaluation.
void GaussSeidel::refresh() {
  if (rows_.product) {
    x_.setZero(rows_.place_start.back());
    for (const Row& row : rows_.rows)
      with_sizes(row, [&]<int kRows, int kWidth>() {
        kernels::push<kRows, kWidth>(rows_, row, lambda_.data() + row.first, x_.data());
      });
  }
  const double* x = rows_.product ? x_.data() : lambda_.data();
  for (const Row& row : rows_.rows)
    with_sizes(row, [&]<int kRows, int kWidth>() {
      kernels::residual<kRows, kWidth>(rows_, row, lambda_.data() + row.first, x, r_.data() + row.first);
    });
}

void GaussSeidel::begin(const Problem& problem) {
  reserve(problem);
  lambda_.setZero();
  refresh();
  xi_ = r_.squaredNorm();
}

void GaussSeidel::begin(const Problem& problem, const Vector& start) {
  reserve(problem);
  lambda_ = start;
  for (int k = 0; k < static_cast<int>(rows_.rows.size()); ++k) put_on_set(k, lambda_.data() + rows_.rows[k].first);
  refresh();
  xi_ = r_.squaredNorm();
}

void GaussSeidel::reserve(const Problem& problem) {
  problem_ = &problem;
  builder_.build(problem, options.algorithm == Algorithm::kept_residual, rows_);
  if (options.order == Order::coloured) {
    colours_.builder.build(rows_, colours_.colouring);
    fill_lanes(rows_, colours_.colouring, colours_.lanes);
  }
  lambda_.resize(problem.size());
  best_.resize(problem.size());
  r_.resize(problem.size());
  x_.resize(rows_.product ? rows_.place_start.back() : 0);
  int tallest = 0, widest = 0;
  for (const Row& row : rows_.rows) tallest = std::max(tallest, row.size);
  for (const SweepRows::Strip& strip : rows_.strips) widest = std::max(widest, strip.width);
  visit_.block.resize(2 * static_cast<std::size_t>(tallest));
  visit_.node.resize(static_cast<std::size_t>(widest));
  if (options.order == Order::random) {
    if (!shuffled_) shuffled_ = std::make_unique<Shuffled>();
    shuffled_->begin(problem.blocks.size(), options.seed);
  }
  sweeps_ = 0;
}

double GaussSeidel::residual() const { return natural_residual(*problem_, lambda_, r_, rows_.scale).value; }

void GaussSeidel::solve(const Problem& problem, Solution& solution) {
  if (options.warm_start && solution.z.size() == problem.size()) begin(problem, solution.z);
  else begin(problem);
  double least = residual();
  best_ = lambda_;
  while (sweeps_ < options.max_sweeps && !(least <= options.tolerance)) {
    sweep();
    const bool early = sweeps_ < options.check_every && sweeps_ % options.check_first == 0 &&
                       std::has_single_bit(static_cast<unsigned>(sweeps_ / options.check_first));
    const bool due = early || (options.check_every > 0 && sweeps_ % options.check_every == 0);
    if (!due && sweeps_ < options.max_sweeps) continue;
    refresh();
    const double now = residual();
    if (std::isnan(now)) break;
    if (now < least) {
      least = now;
      best_ = lambda_;
    }
  }
  solution.z = best_;
  solution.certificate = {.solver = "gauss-seidel", .iterations = sweeps_};
  certify(problem, rows_.scale, options.tolerance, solution, work_);
}

}  // namespace catena::solve
