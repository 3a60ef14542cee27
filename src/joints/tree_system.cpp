#include "catena/joints/tree_system.h"

#include <algorithm>
#include <map>
#include <set>

#include "catena/math/assert.h"

namespace catena {
namespace {

std::vector<int> tree_of_nodes(const Forest& forest) {
  std::vector<int> tree(forest.nodes.size());
  int count = 0;
  for (std::size_t i = 0; i < forest.nodes.size(); ++i) {
    const int parent = forest.nodes[i].parent;
    tree[i] = parent < 0 ? count++ : tree[static_cast<std::size_t>(parent)];
  }
  return tree;
}

// Every node on a path from an auxiliary row's body to its root, ascending.
std::vector<int> reached(const Forest& forest, const RowSet& rows) {
  std::vector<char> mark(forest.nodes.size(), 0);
  std::vector<BodyId> bodies = rows.body;
  bodies.insert(bodies.end(), rows.K_body.begin(), rows.K_body.end());
  for (const BodyId body : bodies)
    for (int node = forest.node_of[body]; node >= 0 && !mark[static_cast<std::size_t>(node)];
         node = forest.nodes[static_cast<std::size_t>(node)].parent)
      mark[static_cast<std::size_t>(node)] = 1;
  std::vector<int> nodes;
  for (std::size_t i = 0; i < mark.size(); ++i)
    if (mark[i]) nodes.push_back(static_cast<int>(i));
  return nodes;
}

}  // namespace

std::size_t TreeSystem::reached_nodes(const Model& model, const Forest& forest) {
  return reached(forest, RowSet(model, forest.auxiliary)).size();
}

TreeSystem::TreeSystem(const Model& model, Auxiliary auxiliary)
    : ConstraintSystem(model),
      primary_(model, build_forest(model)),
      rows_(model, primary_.forest().auxiliary),
      probe_(rows_),
      auxiliary_(auxiliary) {
  if (auxiliary_ == Auxiliary::conjugate && !rows_.workless())
    throw InputError(
        "conjugate gradients need forces along their own rows; couplings with `through` take tree or dense");
  const Forest& forest = primary_.forest();
  const auto k = static_cast<std::size_t>(rows_.rows());
  for (const JointId joint : rows_.joints)
    for (int i = row_start_[joint]; i < row_start_[joint + 1]; ++i) aux_row_.push_back(i);

  // A response runs over the trees its row touches, and there only over nodes that some auxiliary row can see.
  const std::vector<int> tree = tree_of_nodes(forest);
  reach_.all = reached(forest, rows_);
  std::map<std::set<int>, int> lists;
  for (std::size_t i = 0; i < k; ++i) {
    std::set<int> trees;
    for (int t = rows_.start[i]; t < rows_.start[i + 1]; ++t)
      trees.insert(tree[static_cast<std::size_t>(forest.node_of[rows_.body[static_cast<std::size_t>(t)]])]);
    for (int t = rows_.K_start[i]; t < rows_.K_start[i + 1]; ++t)
      trees.insert(tree[static_cast<std::size_t>(forest.node_of[rows_.K_body[static_cast<std::size_t>(t)]])]);
    const auto [entry, is_new] = lists.try_emplace(trees, static_cast<int>(reach_.lists.size()));
    if (is_new) {
      std::vector<int>& list = reach_.lists.emplace_back();
      for (const int node : reach_.all)
        if (trees.contains(tree[static_cast<std::size_t>(node)])) list.push_back(node);
    }
    reach_.of_row.push_back(entry->second);
  }

  const auto size = static_cast<Eigen::Index>(k);
  if (auxiliary_ == Auxiliary::factored) direct_.W.setZero(size, size);
  else iterated_.gradients.reserve(k);
  rhs_.setZero(size);
  mu_.setZero(size);
  free_.setZero(size);
  if (auxiliary_ == Auxiliary::factored) direct_.solver.reserve(static_cast<int>(k));
  redundant_.reserve(k);
  response_.resize(model.bodies.size());
  force_.resize(model.bodies.size());
}

bool TreeSystem::factor(const Kinematics& kinematics, bool closed) {
  if (!primary_.factor(kinematics)) {
    const JointId joint = primary_.failed_joint();
    failure_ = joint.valid() ? "the rows of joint '" + model_->joints[joint].name + "' depend on each other"
                             : "a mass block is not positive definite";
    return false;
  }
  redundant_.clear();
  const int k = rows_.rows();
  if (k == 0) return true;

  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  // What the rows would yield if no joint held their bodies: the size of the numbers that cancel in W.
  for (int i = 0; i < k; ++i) free_[i] = free_compliance(kinematics, i);
  if (auxiliary_ == Auxiliary::conjugate) return true;
  anticipate();
  if (!rows_.workless()) {
    direct_.general.compute(direct_.W);
    return true;
  }
  direct_.solver.factor(direct_.W, free_, closed ? 0 : expected_redundant_);
  if (closed) expected_redundant_ = k - direct_.solver.rank();
  for (const int row : direct_.solver.redundant()) {
    const JointId joint = rows_.joint_of[static_cast<std::size_t>(row)];
    redundant_.push_back({joint, row_of(row) - row_start_[joint]});
  }
  return true;
}

// §8.1: column i of W is the auxiliary motion caused by K's column i once the primary joints have answered.
void TreeSystem::anticipate() {
  const int k = rows_.rows();
  std::fill(response_.begin(), response_.end(), BodyVector{});
  for (int i = 0; i < k; ++i) {
    const std::vector<int>& reach = reach_.lists[static_cast<std::size_t>(reach_.of_row[static_cast<std::size_t>(i)])];
    rows_.add_force(i, 1.0, response_);
    primary_.respond(reach, response_);
    for (int j = rows_.workless() ? i : 0; j < k; ++j) direct_.W(j, i) = rows_.times(j, response_);
    for (const int node : reach) response_[primary_.forest().nodes[static_cast<std::size_t>(node)].body] = {};
  }
}

// q = W p: the auxiliary motion once the primary joints have answered all of Kp at once.
void TreeSystem::multiply(std::span<const double> p, std::span<double> q) {
  for (const int node : reach_.all) response_[primary_.forest().nodes[static_cast<std::size_t>(node)].body] = {};
  for (int i = 0; i < rows_.rows(); ++i) rows_.add_force(i, p[static_cast<std::size_t>(i)], response_);
  primary_.respond(reach_.all, response_);
  for (int i = 0; i < rows_.rows(); ++i) q[static_cast<std::size_t>(i)] = rows_.times(i, response_);
}

double TreeSystem::free_compliance(const Kinematics& kinematics, int row) const {
  double sum = 0;
  for (auto t = static_cast<std::size_t>(rows_.start[static_cast<std::size_t>(row)]);
       t < static_cast<std::size_t>(rows_.start[static_cast<std::size_t>(row) + 1]); ++t) {
    const BodyId body = rows_.body[t];
    sum += dot(rows_.J[t], inverse_times(model_->bodies[body].kind, kinematics.M(body), rows_.J[t]));
  }
  return sum;
}

void TreeSystem::acceleration_rhs(const Kinematics& kinematics, std::span<double> b) {
  primary_.acceleration_rhs(kinematics, b);
  if (probe_.rows() == 0) return;
  const bool same = factored_ == kinematics.stamp();
  if (!same) probe_.evaluate(*model_, kinematics);
  const std::vector<double>& c = same ? rows_.c : probe_.c;
  for (int i = 0; i < rows_.rows(); ++i) b[static_cast<std::size_t>(row_of(i))] = -c[static_cast<std::size_t>(i)];
}

void TreeSystem::velocity_rhs(const Kinematics& kinematics, std::span<double> b) {
  primary_.velocity_rhs(kinematics, b);
  if (probe_.rows() == 0) return;
  probe_.evaluate(*model_, kinematics);
  for (int i = 0; i < probe_.rows(); ++i) {
    double v = 0;
    for (auto t = static_cast<std::size_t>(probe_.start[static_cast<std::size_t>(i)]);
         t < static_cast<std::size_t>(probe_.start[static_cast<std::size_t>(i) + 1]); ++t)
      v += dot(probe_.J[t], velocity_of(kinematics.body(probe_.body[t])));
    b[static_cast<std::size_t>(row_of(i))] = probe_.u[static_cast<std::size_t>(i)] - v;
  }
}

void TreeSystem::position_rhs(const Kinematics& kinematics, std::span<double> b) {
  primary_.position_rhs(kinematics, b);
  if (probe_.rows() == 0) return;
  probe_.evaluate(*model_, kinematics);
  for (int i = 0; i < probe_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    b[static_cast<std::size_t>(row_of(i))] = probe_.holonomic[r] ? -probe_.phi[r] : 0;
  }
}

// W is symmetric where the forces are workless, K = Jᵃᵀ; otherwise only rank and least norm are left to rely on.
void TreeSystem::solve_auxiliary() {
  if (auxiliary_ == Auxiliary::conjugate) {
    const auto span = [](auto& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
    iterated_.last =
        iterated_.gradients.solve([this](auto p, auto q) { multiply(p, q); }, span(free_), span(rhs_), span(mu_),
                                  iterated_.accuracy, ConjugateSystem::kMostIterations * (rows_.rows() + 1));
    iterated_.worst.iterations = std::max(iterated_.worst.iterations, iterated_.last.iterations);
    iterated_.worst.residual = std::max(iterated_.worst.residual, iterated_.last.residual);
  } else if (rows_.workless()) {
    direct_.solver.solve(rhs_, mu_);
  } else {
    mu_ = direct_.general.solve(rhs_);
  }
}

// §8.2.
void TreeSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  CATENA_ASSERT(b.size() == static_cast<std::size_t>(rows()) && y.size() == model_->bodies.size());
  CATENA_ASSERT(lambda.empty() || lambda.size() == b.size());
  const int k = rows_.rows();
  if (k == 0) {
    primary_.solve(b, y, lambda);
    return;
  }
  std::copy(y.begin(), y.end(), force_.begin());
  std::copy(y.begin(), y.end(), response_.begin());
  primary_.solve(b, response_, {});  // step 2: without auxiliary forces
  for (int i = 0; i < k; ++i) rhs_[i] = b[static_cast<std::size_t>(row_of(i))] - rows_.times(i, response_);
  solve_auxiliary();  // step 4
  for (int i = 0; i < k; ++i) {
    rows_.add_force(i, mu_[i], force_);
    if (!lambda.empty()) lambda[static_cast<std::size_t>(row_of(i))] = mu_[i];
  }
  std::copy(force_.begin(), force_.end(), y.begin());
  primary_.solve(b, y, lambda);  // step 5
}

std::string TreeSystem::remark() const {
  if (auxiliary_ == Auxiliary::factored) return {};
  return rows_.rows() == 0 ? "the tree alone: no rows to iterate over" : describe(iterated_.worst);
}

}  // namespace catena
