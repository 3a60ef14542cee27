#include "catena/joints/row_rhs.h"

namespace catena {

RowSet all_rows(const Model& model) {
  std::vector<JointId> joints;
  for (std::size_t j = 0; j < model.joints.size(); ++j) joints.emplace_back(j);
  return {model, std::move(joints)};
}

RowRhsSystem::RowRhsSystem(const Model& model) : ConstraintSystem(model), rows_(all_rows(model)), probe_(rows_) {}

void RowRhsSystem::acceleration_rhs(const Kinematics& kinematics, std::span<double> b) {
  const bool same = factored_ == kinematics.stamp();
  if (!same) probe_.evaluate(*model_, kinematics);
  const std::vector<double>& c = same ? rows_.c : probe_.c;
  for (std::size_t i = 0; i < c.size(); ++i) b[i] = -c[i];
}

void RowRhsSystem::velocity_rhs(const Kinematics& kinematics, std::span<double> b) {
  const bool same = factored_ == kinematics.stamp();
  if (!same) probe_.evaluate(*model_, kinematics);
  const RowSet& rows = same ? rows_ : probe_;
  for (std::size_t i = 0; i < rows.c.size(); ++i) {
    b[i] = rows.u[i];
    for (auto t = static_cast<std::size_t>(rows.start[i]); t < static_cast<std::size_t>(rows.start[i + 1]); ++t)
      b[i] -= dot(rows.J[t], velocity_of(kinematics.body(rows.body[t])));
  }
}

void RowRhsSystem::position_rhs(const Kinematics& kinematics, std::span<double> b) {
  probe_.evaluate_phi(*model_, kinematics);
  for (std::size_t i = 0; i < probe_.c.size(); ++i) b[i] = probe_.holonomic[i] ? -probe_.phi[i] : 0;
}

}  // namespace catena
