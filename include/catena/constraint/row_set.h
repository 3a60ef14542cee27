// Rows over any number of bodies, stored by term: which bodies a row touches is fixed at build, the numbers follow the state.
#pragma once

#include <span>
#include <vector>

#include "catena/constraint/joint_rows.h"

namespace catena {

// The rows of some joints of a model, in the order given.
class RowSet {
 public:
  RowSet(const Model& model, std::vector<JointId> joints);

  // VELOCITY: fills J, c, u, phi from the state `kinematics` was updated with. Components a body's kind lacks are zero.
  void evaluate(const Model& model, const Kinematics& kinematics);
  // POSITION: the same without c, which evaluate_rates() adds.
  void evaluate_places(const Model& model, const Kinematics& kinematics);
  // VELOCITY: where evaluate_places() has been at the same positions, what depends on velocities and on time.
  void evaluate_rates(const Model& model, const Kinematics& kinematics);
  // POSITION: fills phi; what the others hold afterwards is not said.
  void evaluate_phi(const Model& model, const Kinematics& kinematics);

  int rows() const { return static_cast<int>(c.size()); }
  std::size_t terms() const { return body.size(); }
  bool workless() const { return K_body.empty(); }  // K = Jᵀ for all rows
  // J v of row i, v in the model's body order.
  double times(int i, const std::vector<BodyVector>& v) const;
  // f += K lambda of row i; K = Jᵀ except for couplings that push through other terms.
  void add_force(int i, double lambda, std::vector<BodyVector>& f) const;
  // The same of all rows at once, which costs less.
  void add_forces(std::span<const double> lambda, std::vector<BodyVector>& f) const;
  // The largest |J v − b| of all rows.
  double largest_error(const std::vector<BodyVector>& v, std::span<const double> b) const;
  // −phi of the rows that close a gap, 0 of the others.
  void missing_gaps(std::span<double> out) const;
  // u − J v of all rows, at the velocities `kinematics` has.
  void missing_speeds(const Kinematics& kinematics, std::span<double> out) const;

  std::vector<JointId> joints;    // whose rows these are
  std::vector<JointId> joint_of;  // by row                                         (n_row)
  std::vector<int> start;         // terms of row i are start[i] … start[i+1]−1      (n_row + 1)
  std::vector<BodyId> body;       // body of each term                              (n_term)
  std::vector<BodyVector> J;      // its block of the row                           (n_term)
  std::vector<int> K_start;       // own force terms of row i, none where K = Jᵀ           (n_row + 1)
  std::vector<BodyId> K_body;     //
  std::vector<BodyVector> K;      //
  std::vector<double> c, u, phi;  //                                                (n_row)
  std::vector<char> holonomic;    //                                                (n_row)

 private:
  // A distance between two particles: cloth has hundreds of them, and they need no frames.
  struct Thread {
    BodyId a, b;
    double length;
    int row, term;
  };
  // A hinge or a ball joint between bodies that turn and do not scale: mechanisms are made of them.
  struct Pivot {
    BodyId a, b;
    Vec3 anchor_a, anchor_b;  // body coordinates, as below; world for the ground
    Vec3 t1, t2, axis;        // of a hinge: two directions fixed in a, the axis fixed in b
    bool hinge;
    int row, term;
  };
  struct Other {
    JointId joint;
    int row;
  };
  // The joints by the way their rows are evaluated.
  struct Ways {
    std::vector<Thread> threads;
    std::vector<Pivot> pivots;
    std::vector<Other> others;
    std::vector<int> not_of_pivots;  // rows
  };
  Ways ways_;

  template <class Velocity, class Put>
  void multiply(const Velocity& v, const Put& put) const;
  void add_structure(const Model& model, JointId joint);
  void evaluate_thread(const Kinematics& kinematics, const Thread& thread);
  void place_pivots(const Kinematics& kinematics);
  void rate_pivots(const Kinematics& kinematics);
  void evaluate_pivot_phi(const Kinematics& kinematics, const Pivot& pivot);
  void place_pivot(const Kinematics& kinematics, const Pivot& pivot);
  void rate_pivot(const Kinematics& kinematics, const Pivot& pivot);
  void evaluate_other(const Model& model, const Kinematics& kinematics, const Other& other);
  void evaluate_joint(const Model& model, const Kinematics& kinematics, JointId joint, int row);
  void evaluate_forms(const Kinematics& kinematics, const Joint& joint, const Row& row, std::size_t term);
  void evaluate_coupling(const Model& model, const Kinematics& kinematics, JointId joint, int row);
  void evaluate_coordinates(const Model& model, const Kinematics& kinematics, const CouplingRow& coupling,
                            std::size_t row);
};

}  // namespace catena
