// Block Gauss-Seidel on w = A z + b with laws: Lacoursière's Algorithms 2.1, 2.2 and 3.1, matrix-free where A = G M⁻¹Gᵀ + Σ.
// His λ is z, and his G v¹ − q is b. Cost of a sweep: eq. (15) and (16) once a block, O(rows) (docs/methods/solvers.md has it in bytes and flops).
#pragma once

#include <memory>
#include <random>

#include "catena/solve/solution.h"
#include "catena/solve/sweep_friction.h"
#include "catena/solve/sweep_lanes.h"
#include "catena/solve/sweep_rows.h"

namespace catena::solve {

struct GaussSeidelOptions {
  enum class Algorithm : std::uint8_t {
    kept_residual,  // 2.1: r of all blocks is kept up to date
    monitored,      // 2.2: r of a block from scratch, before and after, and ξ from both
    plain,          // 3.1: r of a block from scratch
  };
  enum class Order : std::uint8_t {
    given,      // the problem's
    symmetric,  // the problem's, then backwards, in turn
    random,     // shuffled anew each sweep, the same for the same seed
    coloured,  // the problem's, changed so that four neighbours at a time share no node and are visited at once (colouring.h)
  };

  Algorithm algorithm = Algorithm::plain;
  FrictionMethod friction = FrictionMethod::exact;
  Order order = Order::given;
  std::uint64_t seed = 1;   // random order
  double relaxation = 1;    // ω: λ + ω (z − λ), put back on the law's set. Between 0 and 2
  bool warm_start = false;  // start at solution.z, put on the laws' sets; else at 0
  int max_sweeps = 1000;
  double tolerance = 1e-10;  // of the natural map (natural_map.h)
  int check_every = 10;      // sweeps between evaluations of the natural map; 0: only the last
  int check_first = 1;       // and after this many, twice as many, and so on up to that
};

class GaussSeidel {
 public:
  GaussSeidel() = default;
  explicit GaussSeidel(const GaussSeidelOptions& chosen) : options(chosen) {}

  GaussSeidelOptions options;

  // Workspaces for problems of this one's sizes: solve() then does not allocate.
  void reserve(const Problem& problem);

  // Returns the best iterate that was evaluated. `iterations` of the certificate are the sweeps done.
  void solve(const Problem& problem, Solution& solution);

  // By hand: begin, then sweep after sweep. The problem must stay.
  void begin(const Problem& problem);
  void begin(const Problem& problem, const Vector& start);
  void sweep();
  const Vector& z() const { return lambda_; }
  // Σ‖r_k‖² as Algorithm 2.2 keeps it, lines 3, 11 and 21. It is ‖r‖² only where the blocks do not meet: what a step does to the
  // residuals of other blocks is not in it.
  double monitored() const { return xi_; }
  const SweepRows& rows() const { return rows_; }
  // The order of blocks where it is `coloured`.
  const Colouring& colouring() const { return colours_.colouring; }

 private:
  using Algorithm = GaussSeidelOptions::Algorithm;
  using Order = GaussSeidelOptions::Order;
  using Row = SweepRows::Row;

  // Order::coloured: the blocks that are visited at once, and their rows in lanes.
  struct Colours {
    ColouringBuilder builder;
    Colouring colouring;
    LaneRows lanes;
  };
  // Order::random; the generator alone takes 2.5 kB.
  struct Shuffled {
    std::vector<int> order;
    std::mt19937_64 random;
    void begin(std::size_t blocks, std::uint64_t seed);
    void shuffle();
  };
  // Of the block being visited.
  struct Visit {
    std::vector<double> block;  // r and z, where it is large
    std::vector<double> node;   // d_b of 2.1
  };

  template <Algorithm algorithm>
  void sweep_all();
  template <Algorithm algorithm>
  void sweep_blocks(const SweepOrder& order);
  void sweep_coloured();
  template <Algorithm algorithm, int kRows, int kWidth>
  void visit(int k);
  void solve_block(int k, const double* r, double* z);
  void put_on_set(int k, double* z) const;
  void scatter(int k, const double* change);
  void refresh();
  double residual() const;  // of the natural map, with r_ fresh

  const Problem* problem_ = nullptr;
  SweepRowsBuilder builder_;
  SweepRows rows_;
  Colours colours_;
  Vector lambda_, x_;  // λ; v − v¹ in coordinates of M = 1 (sweep_rows.h)
  Vector r_;           // of all blocks: 2.1, and evaluations
  Vector best_, work_;
  Visit visit_;
  std::unique_ptr<Shuffled> shuffled_;  // null until blocks are visited in such an order
  double xi_ = 0;
  int sweeps_ = 0;
};

}  // namespace catena::solve
