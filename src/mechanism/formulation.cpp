#include "catena/mechanism/formulation.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <numeric>

#include "catena/math/scalar.h"
#include "catena/mechanism/law_problem.h"
#include "catena/model/components.h"
#include "catena/primary/reduced_dynamics.h"

namespace catena {
namespace {

// Rows over the velocities of all bodies, dense.
class BodyRows {
 public:
  explicit BodyRows(const Model& model) : model_(&model) {
    for (const Body& body : model.bodies) offset_.push_back(offset_.back() + dimension(body.kind));
  }
  int size() const { return offset_.back(); }
  int offset(BodyId body) const { return offset_[body]; }

  void add(BodyId body, const BodyVector& J, Eigen::Ref<Eigen::RowVectorXd> row) const {
    if (!body.valid()) return;
    std::array<double, 7> numbers{};
    const int d = components(model_->bodies[body].kind, J, numbers.data());
    for (int k = 0; k < d; ++k) row[offset_[body] + k] += numbers[static_cast<std::size_t>(k)];
  }

 private:
  const Model* model_;
  std::vector<int> offset_{0};
};

Eigen::MatrixXd held_matrix(const HeldRows& held, const BodyRows& bodies) {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(held.rows(), bodies.size());
  Eigen::RowVectorXd row(bodies.size());
  for (int i = 0; i < held.rows(); ++i) {
    row.setZero();
    for (int t = held.start[at(i)]; t < held.start[at(i) + 1]; ++t) bodies.add(held.body[at(t)], held.J[at(t)], row);
    G.row(i) = row;
  }
  return G;
}

Eigen::MatrixXd law_matrix(const LawRows& laws, const BodyRows& bodies) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(laws.rows.size()), bodies.size());
  Eigen::RowVectorXd row(bodies.size());
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      row.setZero();
      bodies.add(block.a, laws.rows[at(i)].a, row);
      bodies.add(block.b, laws.rows[at(i)].b, row);
      J.row(i) = row;
    }
  return J;
}

// The rows of the forest's joints, without their motors, which are held rows.
Eigen::MatrixXd joint_matrix(const ReducedModel& model, const Kinematics& kinematics, const BodyRows& bodies) {
  std::vector<Eigen::RowVectorXd> all;
  Rows rows;
  for (const ReducedNode& node : model.nodes()) {
    if (!node.joint.valid()) continue;
    const Joint& joint = model.model().joints[node.joint];
    joint_rows(model.model(), joint, kinematics, rows);
    for (int i = 0; i < dimension(joint); ++i) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(bodies.size());
      bodies.add(joint.a, rows[i].a, row);
      bodies.add(joint.b, rows[i].b, row);
      all.push_back(row);
    }
  }
  Eigen::MatrixXd P(static_cast<Eigen::Index>(all.size()), bodies.size());
  for (std::size_t i = 0; i < all.size(); ++i) P.row(static_cast<Eigen::Index>(i)) = all[i];
  return P;
}

// The rates of the joints by the velocities of the bodies.
Eigen::MatrixXd rate_matrix(const ReducedModel& model, const Kinematics& kinematics, const BodyRows& bodies) {
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(model.n_v(), bodies.size());
  Rows rows;
  Eigen::RowVectorXd row(bodies.size());
  for (const ReducedNode& node : model.nodes()) {
    if (!node.joint.valid()) {
      for (int k = 0; k < 6; ++k) {
        BodyVector unit;
        (k < 3 ? unit.linear[k] : unit.angular[k - 3]) = 1;
        row.setZero();
        bodies.add(node.body, unit, row);
        R.row(node.v + k) = row;
      }
      continue;
    }
    const Joint& joint = model.model().joints[node.joint];
    joint_coordinates(joint, kinematics, rows);
    for (int k = 0; k < rows.count; ++k) {
      row.setZero();
      bodies.add(joint.a, rows[k].a, row);
      bodies.add(joint.b, rows[k].b, row);
      R.row(node.v + k) = row;
    }
  }
  return R;
}

// J of all bodies in the components they have, one on the other.
Eigen::MatrixXd all_jacobians(const ReducedSystem& system, const BodyRows& bodies) {
  const Model& model = system.model().model();
  Eigen::MatrixXd J(bodies.size(), system.model().n_v());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Eigen::MatrixXd own = jacobian(system, BodyId(i));
    for (Eigen::Index k = 0; k < own.cols(); ++k) {
      std::array<double, 7> numbers{};
      const int d =
          components(model.bodies[i].kind, {{own(0, k), own(1, k), own(2, k)}, {own(3, k), own(4, k), own(5, k)}, 0},
                     numbers.data());
      for (int r = 0; r < d; ++r) J(bodies.offset(BodyId(i)) + r, k) = numbers[static_cast<std::size_t>(r)];
    }
  }
  return J;
}

// Rows of G that depend on others, as three of a planar loop in space do, have no impulses of their own: with them the matrix would be
// singular. The indices of a largest set of independent ones, ascending.
std::vector<int> independent_rows(const Eigen::MatrixXd& G) {
  constexpr double kDependent = 1e-9;  // of the largest pivot
  std::vector<int> kept(static_cast<std::size_t>(G.rows()));
  std::iota(kept.begin(), kept.end(), 0);
  if (G.size() == 0) return kept;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(G.transpose());
  qr.setThreshold(kDependent);
  const auto rank = static_cast<std::size_t>(qr.rank());
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = qr.colsPermutation().indices()[static_cast<Eigen::Index>(i)];
  kept.resize(rank);
  std::sort(kept.begin(), kept.end());
  return kept;
}

Eigen::VectorXd sigmas(const LawRows& laws) {
  Eigen::VectorXd sigma(static_cast<Eigen::Index>(laws.rows.size()));
  for (Eigen::Index i = 0; i < sigma.size(); ++i) sigma[i] = laws.rows[at(i)].sigma;
  return sigma;
}
Eigen::VectorXd targets(const LawRows& laws) {
  Eigen::VectorXd target(static_cast<Eigen::Index>(laws.rows.size()));
  for (Eigen::Index i = 0; i < target.size(); ++i) target[i] = laws.rows[at(i)].target;
  return target;
}
Eigen::VectorXd vector_of(std::span<const double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}
// M⁻¹ B, where B may have no columns: Eigen's solve looks at the first entry.
Eigen::MatrixXd inverse_times(const Eigen::LDLT<Eigen::MatrixXd>& M, const Eigen::MatrixXd& B) {
  return B.size() > 0 ? Eigen::MatrixXd(M.solve(B)) : B;
}

}  // namespace

int formulation_size(Formulation formulation, const ReducedModel& model, int contacts, int n_f, int others) {
  int bodies = 0;
  for (const Body& body : model.model().bodies) bodies += dimension(body.kind);
  const int held = HeldRows(model).rows(), joints = bodies - model.freedoms();
  const int laws = contacts * (n_f + 2) + others;
  switch (formulation) {
    case Formulation::non_minimal: return bodies + joints + held + laws;
    case Formulation::minimal: return model.freedoms() + held + laws;
    case Formulation::non_minimal_os: return joints + held + laws;
    case Formulation::operational_space: return held + laws;
    case Formulation::reduced_minimal:
    case Formulation::maximal_os: break;
  }
  return laws;
}

FormulationProblem::FormulationProblem(Formulation formulation, const ContactStep& step, int n_f)
    : model_(&step.system.model()), held_(step.held.rows()), all_held_(step.held.rows()) {
  const bool minimal_coordinates = formulation == Formulation::minimal || formulation == Formulation::reduced_minimal;
  const bool keep = formulation == Formulation::minimal || formulation == Formulation::non_minimal;
  if (minimal_coordinates) minimal(step, keep);
  else non_minimal(step, keep);
  LawProblem::add_laws(step.laws, problem_.size() - static_cast<int>(step.laws.rows.size()), problem_.blocks);
  if (n_f > 0) use_pyramids(problem_.blocks, n_f);
}

void FormulationProblem::add_free(int count) {
  if (count > 0) problem_.blocks.push_back({.law = solve::Law::free, .first = 0, .size = count});
}

// Eqs. 36 (keep) and 41.
void FormulationProblem::minimal(const ContactStep& step, bool keep) {
  const BodyRows bodies(model_->model());
  const Eigen::Index n = model_->n_v(), laws = static_cast<Eigen::Index>(step.laws.rows.size());
  const Eigen::MatrixXd M = mass_matrix(step.system), jacobians = all_jacobians(step.system, bodies);
  const Eigen::MatrixXd all = held_matrix(step.held, bodies) * jacobians, J = law_matrix(step.laws, bodies) * jacobians;
  kept_ = independent_rows(all);
  held_ = static_cast<int>(kept_.size());
  const Eigen::MatrixXd G = all(kept_, Eigen::all);
  const Eigen::VectorXd u = vector_of(step.u)(kept_);
  // C − T is what inverse dynamics asks for when nothing accelerates.
  const std::vector<double> still(static_cast<std::size_t>(n), 0.0);
  std::vector<double> bias(still.size());
  inverse_dynamics(step.system, still, step.f, {}, bias);
  const Eigen::VectorXd momentum = M * vector_of(step.v) - step.h * vector_of(bias);
  if (keep) {
    velocities_ = static_cast<int>(n);
    A_.setZero(n + held_ + laws, n + held_ + laws);
    A_.topLeftCorner(n, n) = M;
    A_.block(0, n, n, held_) = -G.transpose();
    A_.block(0, n + held_, n, laws) = -J.transpose();
    A_.block(n, 0, held_, n) = G;
    A_.block(n + held_, 0, laws, n) = J;
    A_.bottomRightCorner(laws, laws).diagonal() = sigmas(step.laws);
    problem_.b.resize(A_.rows());
    problem_.b << -momentum, -u, -targets(step.laws);
    problem_.A = std::move(A_);
    add_free(static_cast<int>(n) + held_);
    return;
  }
  const Eigen::LDLT<Eigen::MatrixXd> ldlt(M);
  const Eigen::MatrixXd MG = inverse_times(ldlt, G.transpose()), MJ = inverse_times(ldlt, J.transpose());
  free_ = ldlt.solve(momentum);
  SemidefiniteSolver solver;
  held_from_laws_.setZero(held_, laws);
  held_free_.setZero(held_);
  if (held_ > 0) {
    const Eigen::MatrixXd W = G * MG, WJ = G * MJ;
    solver.reserve(held_);
    solver.factor(W, W.diagonal());
    for (Eigen::Index k = 0; k < laws; ++k) solver.solve(WJ.col(k), held_from_laws_.col(k));
    solver.solve(G * free_ - u, held_free_);
    held_from_laws_ *= -1;
    held_free_ *= -1;
  }
  free_ += MG * held_free_;
  from_impulses_ = MJ + MG * held_from_laws_;
  Eigen::MatrixXd A = J * from_impulses_;
  A.diagonal() += sigmas(step.laws);
  problem_.b = J * free_ - targets(step.laws);
  problem_.A = std::move(A);
  reduced_ = true;
}

// Eq. 27 (keep) and §8.
void FormulationProblem::non_minimal(const ContactStep& step, bool keep) {
  const Model& model = model_->model();
  const BodyRows bodies(model);
  const Eigen::Index n = bodies.size(), laws = static_cast<Eigen::Index>(step.laws.rows.size());
  const Eigen::MatrixXd P = joint_matrix(*model_, step.kinematics, bodies);
  joints_ = static_cast<int>(P.rows());
  const Eigen::MatrixXd G = held_matrix(step.held, bodies);
  kept_ = independent_rows(G * all_jacobians(step.system, bodies));
  held_ = static_cast<int>(kept_.size());
  Eigen::MatrixXd R(joints_ + held_ + laws, n);
  R << P, G(kept_, Eigen::all), law_matrix(step.laws, bodies);
  rates_of_ = rate_matrix(*model_, step.kinematics, bodies);
  Eigen::VectorXd asked(R.rows());
  asked << Eigen::VectorXd::Zero(joints_), vector_of(step.u)(kept_), targets(step.laws);

  std::vector<BodyVector> V(model.bodies.size()), coriolis(V.size());
  step.system.motion(step.v, V);
  bias_accelerations(step.system, coriolis);
  Eigen::VectorXd momentum(n);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n), MR(n, R.rows());
  Eigen::VectorXd free(n);
  std::array<double, 7> numbers{};
  for (std::size_t i = 0; i < V.size(); ++i) {
    const BodyId body(i);
    const BodyKind kind = model.bodies[i].kind;
    const MassBlock& block = step.kinematics.M(body);
    const BodyVector f = step.f[i] + velocity_force(model.bodies[i], block, step.kinematics.body(body));
    const BodyVector p = restricted(kind, block * (V[i] + -step.h * coriolis[i]) + step.h * f);
    const int first = bodies.offset(body), d = components(kind, p, numbers.data());
    for (int k = 0; k < d; ++k) momentum[first + k] = numbers[at(k)];
    components(kind, inverse_times(kind, block, p), numbers.data());
    for (int k = 0; k < d; ++k) free[first + k] = numbers[at(k)];
    for (int c = 0; c < d; ++c) {
      std::array<double, 7> unit{};
      unit[at(c)] = 1;
      components(kind, block * from_components(kind, unit.data()), numbers.data());
      for (int k = 0; k < d; ++k) M(first + k, first + c) = numbers[at(k)];
    }
    for (Eigen::Index r = 0; r < R.rows(); ++r) {
      for (int k = 0; k < d; ++k) numbers[at(k)] = R(r, first + k);
      components(kind, inverse_times(kind, block, from_components(kind, numbers.data())), numbers.data());
      for (int k = 0; k < d; ++k) MR(first + k, r) = numbers[at(k)];
    }
  }
  Eigen::MatrixXd A;
  if (keep) {
    velocities_ = static_cast<int>(n);
    A.setZero(n + R.rows(), n + R.rows());
    A.topLeftCorner(n, n) = M;
    A.topRightCorner(n, R.rows()) = -R.transpose();
    A.bottomLeftCorner(R.rows(), n) = R;
    problem_.b.resize(A.rows());
    problem_.b << -momentum, -asked;
  } else {
    A = R * MR;
    problem_.b = R * free - asked;
    from_impulses_ = rates_of_ * MR;
    free_ = rates_of_ * free;
  }
  A.diagonal().tail(laws) += sigmas(step.laws);
  problem_.A = std::move(A);
  add_free(velocities_ + joints_ + held_);
}

void FormulationProblem::read(const solve::Vector& answer, Eigen::VectorXd& z, std::span<double> v) const {
  Eigen::Map<Eigen::VectorXd> rates(v.data(), static_cast<Eigen::Index>(v.size()));
  if (reduced_) {
    z.setZero(all_held_ + answer.size());
    z(kept_) = held_free_ + held_from_laws_ * answer;
    z.tail(answer.size()) = answer;
    rates = free_ + from_impulses_ * answer;
    return;
  }
  const Eigen::Index laws = answer.size() - velocities_ - joints_ - held_;
  z = solve::Vector::Zero(all_held_ + laws);
  z(kept_) = answer.segment(velocities_ + joints_, held_);
  z.tail(laws) = answer.tail(laws);
  if (velocities_ == 0) rates = free_ + from_impulses_ * answer;
  else if (rates_of_.size() > 0) rates = rates_of_ * answer.head(velocities_);
  else rates = answer.head(velocities_);
}

}  // namespace catena
