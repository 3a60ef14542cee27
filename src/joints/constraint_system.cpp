#include "catena/joints/constraint_system.h"

#include <algorithm>
#include <cmath>

#include "catena/joints/conjugate_system.h"
#include "catena/joints/dense_kkt_system.h"
#include "catena/joints/dense_system.h"
#include "catena/joints/front_system.h"
#include "catena/joints/iterative_system.h"
#include "catena/joints/parts_system.h"
#include "catena/joints/schur_system.h"
#include "catena/joints/sparse_system.h"
#include "catena/joints/tree_system.h"

namespace catena {

ConstraintSystem::ConstraintSystem(const Model& model) : model_(&model), row_start_(row_starts(model)) {}

namespace {

// What a multiplication costs against one of the tree's blocks (catena bench loops): the blocks of fronts have sizes that are not known when they are
// compiled; scalar sparse elimination moves an index with every number and refines its solution.
constexpr double kFrontCost = 1.25, kSparseCost = 4;
// The sparse A against H, which both are `sparse`: a number of its dense fronts, and a row to form, scale and refine.
constexpr double kSchurCost = 0.375, kSchurRow = 170;

double schur_flops(const SchurSystem& A) { return kSchurCost * A.flops() + kSchurRow * A.rows(); }

}  // namespace

SystemSizes system_sizes(const Model& model) {
  const Forest forest = build_forest(model);
  SystemSizes sizes;
  int total = 0;
  for (const Joint& joint : model.joints) total += row_count(model, joint);
  for (const JointId joint : forest.auxiliary) sizes.auxiliary_rows += row_count(model, model.joints[joint]);
  sizes.primary_rows = total - sizes.auxiliary_rows;
  sizes.workless = RowSet(model, forest.auxiliary).workless();

  // A body of the tree costs about 300 multiplications to factor and 120 a solve (elimination.h, counted); anticipation is one
  // solve an auxiliary row over the bodies above it, and k³/3 for the matrix of eq. 12.
  const double n = static_cast<double>(model.bodies.size()), k = sizes.auxiliary_rows;
  const double reached = k > 0 ? static_cast<double>(TreeSystem::reached_nodes(model, forest)) : 0;
  sizes.tree_flops = 300 * n + 2 * 120 * n + k * 120 * reached + k * k * k / 3;
  // Counting the fill of H is itself work: only where it could matter.
  sizes.sparse_flops = k > 0 && sizes.workless ? SparseSystem(model).flops() : 1e300;
  sizes.front_flops = 1e300;
  if (k > 0 && fronts_decline(model).empty()) {
    const double most = std::min(sizes.tree_flops, kSparseCost * sizes.sparse_flops) / kFrontCost;
    if (const auto plan = plan_fronts(model, most)) sizes.front_flops = plan->flops;
    // Wide graphs: A, where its rows alone cost less than fronts. Otherwise it need not be formed to know.
    const double fronts = kFrontCost / kSparseCost * sizes.front_flops;
    if (sizes.workless && sizes.front_flops < 1e300 && kSchurRow * total < fronts &&
        SchurSystem::products(model) < fronts)
      sizes.sparse_flops = std::min(sizes.sparse_flops, schur_flops(SchurSystem(model)));
  }
  return sizes;
}

LinearSolver choose_solver(const SystemSizes& sizes, LinearSolver asked) {
  const bool symmetric = asked == LinearSolver::sparse || asked == LinearSolver::dense_kkt ||
                         asked == LinearSolver::cg || asked == LinearSolver::cg_tree;
  if (symmetric && !sizes.workless)
    throw InputError(
        "the solvers sparse, dense-kkt, cg and cg-tree need forces along their own rows; couplings with `through` take "
        "tree or dense");
  if (asked != LinearSolver::automatic) return asked;
  if (sizes.auxiliary_rows == 0) return LinearSolver::tree;
  const double fronts = kFrontCost * sizes.front_flops, sparse = kSparseCost * sizes.sparse_flops;
  if (fronts < sizes.tree_flops && fronts < sparse) return LinearSolver::fronts;
  return sparse < sizes.tree_flops ? LinearSolver::sparse : LinearSolver::tree;
}

namespace {

// Of H, or of A where that costs less: dense fronts do twice as much in the same time.
std::unique_ptr<ConstraintSystem> make_sparse(const Model& model) {
  auto H = std::make_unique<SparseSystem>(model);
  if (SchurSystem::products(model) > 2 * H->flops()) return H;
  auto A = std::make_unique<SchurSystem>(model);
  if (A->flops() < 2 * H->flops()) return A;
  return H;
}

}  // namespace

std::unique_ptr<ConstraintSystem> make_constraint_system(const Model& model, LinearSolver solver, int threads,
                                                         const Kinematics* at) {
  if (solver == LinearSolver::automatic) solver = choose_solver(system_sizes(model), solver);
  if (solver == LinearSolver::fronts) return std::make_unique<FrontSystem>(model, at);
  if (solver == LinearSolver::sparse) return make_sparse(model);
  if (solver == LinearSolver::parts)
    return std::make_unique<PartsSystem>(model, threads, make_constraint_system(model, LinearSolver::automatic, 1, at));
  if (solver == LinearSolver::parts_in_turn) return std::make_unique<PartsSystem>(model, threads, nullptr);
  if (solver == LinearSolver::iterative) return std::make_unique<IterativeSystem>(model);
  if (solver == LinearSolver::dense) return std::make_unique<DenseSystem>(model);
  if (solver == LinearSolver::dense_kkt) return std::make_unique<DenseKktSystem>(model);
  if (solver == LinearSolver::cg) return std::make_unique<ConjugateSystem>(model);
  if (solver == LinearSolver::cg_tree) return std::make_unique<TreeSystem>(model, TreeSystem::Auxiliary::conjugate);
  return std::make_unique<TreeSystem>(model);
}

Residual residual(const Model& model, const Kinematics& kinematics, const RowSet& rows, std::span<const BodyVector> f,
                  std::span<const double> b, const std::vector<BodyVector>& y, std::span<const double> lambda,
                  std::vector<BodyVector>& scratch) {
  const auto size2 = [](const BodyVector& v) { return dot(v, v); };
  // Below these nothing moves: rounding is not compared with rounding.
  constexpr double kStillForce = 1e-9, kStillMotion = 1e-9;
  double force2 = 0, motion2 = 0, left2 = 0;
  scratch.assign(f.begin(), f.end());
  rows.add_forces(lambda, scratch);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const BodyKind kind = model.bodies[i].kind;
    const MassBlock& M = kinematics.M(BodyId(i));
    const BodyVector My = M * restricted(kind, y[i]);
    force2 = std::max({force2, size2(My), size2(f[i])});
    // What the body would do without joints is the size of what the rows have to balance.
    motion2 = std::max({motion2, size2(inverse_times(kind, M, f[i])), size2(restricted(kind, y[i]))});
    left2 = std::max(left2, size2(My + -1.0 * restricted(kind, scratch[i])));
  }
  double row_scale = std::max(kStillMotion, std::sqrt(motion2));
  for (const double asked : b) row_scale = std::max(row_scale, std::abs(asked));
  return {std::sqrt(left2) / std::max(kStillForce, std::sqrt(force2)), rows.largest_error(y, b) / row_scale};
}

}  // namespace catena
