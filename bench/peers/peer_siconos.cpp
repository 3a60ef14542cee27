// Siconos' numerics on the problems of `catena bench solvers`: nonsmooth Gauss-Seidel and Newton for friction, Lemke for LCPs.
//   peer_siconos FOLDER
// The problems and the measure are catena's (bench/solver_problems.h); the matrices are in Siconos' own formats, sparse by blocks where
// catena's are. Only the driver is timed.
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <lcp_cst.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "bench/solver_problems.h"

namespace {

using catena::bench::Figure;
using catena::bench::kMostSweeps;
using catena::bench::SolverAttempt;
using catena::bench::SolverProblem;
using catena::solve::BlockSparse;
using catena::solve::Vector;

// A matrix in Siconos' format: dense, or blocks column by column behind row starts.
class Matrix {
 public:
  explicit Matrix(const catena::solve::Matrix& A, bool dense = false) {
    NM_null(&matrix_);
    matrix_.size0 = matrix_.size1 = size_of(A);
    const auto* sparse = std::get_if<BlockSparse>(&A);
    if (sparse && !dense) {
      fill_blocks(*sparse);
      return;
    }
    dense_ = to_dense(A);
    matrix_.storageType = NM_DENSE;
    matrix_.matrix0 = dense_.data();
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  // The arrays are ours, what Siconos hung on them is its own.
  ~Matrix() {
    matrix_.matrix0 = nullptr;
    matrix_.matrix1 = nullptr;
    NM_clear(&matrix_);
    std::free(blocks_.diagonal_blocks);
  }

  NumericsMatrix* get() { return &matrix_; }

 private:
  void fill_blocks(const BlockSparse& A) {
    values_.reserve(A.values.size());
    for (int k = 0; k < A.blocks(); ++k) {
      row_start_.push_back(column_.size());
      ends_.push_back(static_cast<unsigned>(A.cut[k + 1]));
      for (int e = A.entry_start[k]; e < A.entry_start[k + 1]; ++e) {
        const int column = A.entries[e].column, height = A.cut[k + 1] - A.cut[k];
        const int width = A.cut[column + 1] - A.cut[column];
        column_.push_back(static_cast<std::size_t>(column));
        block_.push_back(values_.data() + values_.size());
        for (int j = 0; j < width; ++j)
          for (int i = 0; i < height; ++i) values_.push_back(A.values[A.entries[e].value + i * width + j]);
      }
    }
    row_start_.push_back(column_.size());
    SBM_null(&blocks_);
    blocks_.nbblocks = static_cast<unsigned>(block_.size());
    blocks_.block = block_.data();
    blocks_.blocknumber0 = blocks_.blocknumber1 = static_cast<unsigned>(A.blocks());
    blocks_.blocksize0 = blocks_.blocksize1 = ends_.data();
    blocks_.filled1 = row_start_.size();
    blocks_.filled2 = column_.size();
    blocks_.index1_data = row_start_.data();
    blocks_.index2_data = column_.data();
    matrix_.storageType = NM_SPARSE_BLOCK;
    matrix_.matrix1 = &blocks_;
  }

  NumericsMatrix matrix_{};
  SparseBlockStructuredMatrix blocks_{};
  Eigen::MatrixXd dense_;
  std::vector<double> values_;
  std::vector<double*> block_;
  std::vector<std::size_t> row_start_, column_;
  std::vector<unsigned> ends_;
};

using Options = std::unique_ptr<SolverOptions, void (*)(SolverOptions*)>;
Options options_of(int solver, int iterations) {
  Options options(solver_options_create(solver), solver_options_delete);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  return options;
}

void print(const Figure& f) {
  std::printf(R"({"case": "%s", "n": %ld, "metric": "%s", "value": %.15g, "unit": "%s"})"
              "\n",
              f.name.c_str(), f.n, f.metric.c_str(), f.value, f.unit.c_str());
  std::fflush(stdout);
}

// `local`: the solver of one contact, 0 for the default.
void friction(const SolverProblem& p, const char* name, int solver, int local, int iterations) {
  const int dimension = p.problem.blocks[0].size;
  Matrix W(p.problem.A);
  Vector q = p.problem.b, friction(p.size());
  for (long k = 0; k < p.size(); ++k) friction[k] = p.problem.blocks[static_cast<std::size_t>(k)].friction[0];
  FrictionContactProblem problem{dimension, static_cast<int>(p.size()), W.get(), q.data(), friction.data()};
  const Options options = options_of(solver, iterations);
  if (local != 0) solver_options_update_internal(options.get(), 0, local);
  Vector r(q.size()), u(q.size());
  report_times(print, p, name, [&](double tolerance) {
    r.setZero();
    u.setZero();
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    const int failed = (dimension == 3 ? fc3d_driver : fc2d_driver)(&problem, r.data(), u.data(), options.get());
    return SolverAttempt{r, failed != 0 && options->iparam[SICONOS_IPARAM_ITER_DONE] >= iterations};
  });
}

void lcp(const SolverProblem& p) {
  Matrix M(p.problem.A, true);
  Vector q = p.problem.b, z(q.size()), w(q.size());
  LinearComplementarityProblem problem{p.problem.size(), M.get(), q.data()};
  const Options options = options_of(SICONOS_LCP_LEMKE, 10000);
  report_times(print, p, "lemke", [&](double tolerance) {
    z.setZero();
    w.setZero();
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    const int failed = linearComplementarity_driver(&problem, z.data(), w.data(), options.get());
    return SolverAttempt{z, failed != 0};
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: peer_siconos FOLDER\n");
    return 2;
  }
  numerics_set_verbose(0);
  for (const SolverProblem& p : catena::bench::solver_problems(argv[1])) {
    if (!p.friction()) {
      lcp(p);
    } else if (p.problem.blocks[0].size == 2) {
      friction(p, "nsgs", SICONOS_FRICTION_2D_NSGS, 0, kMostSweeps);
    } else {
      friction(p, "nsgs", SICONOS_FRICTION_3D_NSGS, 0, kMostSweeps);
      friction(p, "nsgs, projection with local iterations", SICONOS_FRICTION_3D_NSGS,
               SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, kMostSweeps);
    }
  }
  return 0;
}
