// The equalities that joint coordinates leave over: loops, joints without coordinates, and motors that prescribe a velocity. A loop's
// joint stays a joint: its rows are the same as everywhere else.
//     G_b v = u,     G_b v̇ + c = 0                                                                                  Jain eq. 29
#pragma once

#include <vector>

#include "catena/constraint/row_set.h"
#include "catena/primary/reduced_model.h"

namespace catena {

class HeldRows {
 public:
  // Throws InputError for couplings that push through other terms than they hold: their compliance is not symmetric.
  explicit HeldRows(const ReducedModel& model);

  // At the state `kinematics` was updated with.
  void evaluate(const Kinematics& kinematics);

  int rows() const { return static_cast<int>(u.size()); }
  bool drives() const { return drives_; }  // some row may prescribe a velocity
  // J v of row i.
  double times(int i, const std::vector<BodyVector>& v) const;
  void add_force(int i, double impulse, std::vector<BodyVector>& f) const;
  // The largest |phi|, with lengths measured in `size`; which joint it is of.
  struct Gap {
    double scaled = 0;
    JointId worst;
  };
  Gap gap(double size) const;
  // Whether row i holds a turn alone, so that its phi is an angle.
  bool is_angle(std::size_t i) const;

  std::vector<int> start;       // terms of row i are start[i] … start[i+1]−1             (n_row + 1)
  std::vector<BodyId> body;     // of each term                                           (n_term)
  std::vector<BodyVector> J;    //                                                        (n_term)
  std::vector<double> u, phi;   // phi: 0 for rows that are not holonomic                 (n_row)
  std::vector<double> c;        //                                                        (n_row)
  std::vector<char> holonomic;  //                                                       (n_row)
  std::vector<JointId> joint;   // whose row it is                                        (n_row)
  std::vector<int> row;         // which of the joint's                                   (n_row)

 private:
  const Model* model_;
  RowSet loops_;
  std::vector<JointId> motors_;  // joints with coordinates whose motor has no limit
  bool drives_ = false;
};

}  // namespace catena
