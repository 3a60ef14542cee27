#include "catena/joints/row_rhs.h"

namespace catena {

RowSet all_rows(const Model& model) {
  std::vector<JointId> joints;
  for (std::size_t j = 0; j < model.joints.size(); ++j) joints.emplace_back(j);
  return {model, std::move(joints)};
}

bool find_multipliers(ConstraintSystem& system, std::span<const BodyVector> f, std::span<const BodyVector> y,
                      std::span<double> lambda) {
  auto* by_rows = dynamic_cast<RowRhsSystem*>(&system);
  return by_rows && by_rows->multipliers(f, y, lambda);
}

RowRhsSystem::RowRhsSystem(const Model& model) : ConstraintSystem(model), rows_(all_rows(model)), probe_(rows_) {}

const RowSet& RowRhsSystem::rows_here(const Kinematics& kinematics) {
  if (const RowSet* rows = rows_at(kinematics)) return *rows;
  probe_.evaluate(*model_, kinematics);
  probed_ = kinematics.stamp();
  return probe_;
}

void RowRhsSystem::acceleration_rhs(const Kinematics& kinematics, std::span<double> b) {
  const std::vector<double>& c = rows_here(kinematics).c;
  for (std::size_t i = 0; i < c.size(); ++i) b[i] = -c[i];
}

void RowRhsSystem::velocity_rhs(const Kinematics& kinematics, std::span<double> b) {
  rows_here(kinematics).missing_speeds(kinematics, b);
}

void RowRhsSystem::position_rhs(const Kinematics& kinematics, std::span<double> b) {
  probe_.evaluate_phi(*model_, kinematics);
  probed_ = 0;
  probe_.missing_gaps(b);
}

}  // namespace catena
