// Closed loops with redundant rows, solved exactly at about the cost of a tree: elimination by fronts (fronts.h) in maximal coordinates.
//
//     minimise ½ yᵀM y − fᵀy   subject to   J y = b,     J of any rank         (so that M y − Jᵀλ = f)
//
// All motions of a front are twists at one origin: a body that is carried along moves like the body that carries it, and no motion needs to be
// transferred along the front's forest. With a for the motions of its bodies and B for those of its boundary:
//
//   forest    a_i = a_parent(i) + S_i q_i                          S: the freedoms of a joint. What its rows ask for is another motion, found
//             for all bodies at once and taken off beforehand: what is solved for meets the rows of the forests with zeros.
//   fold      last body first: U_{i,x} = S_iᵀD_{i,x},  D_{p,x} += D_{i,x}, and for freedoms j below i  H_{j,i} = U_{j,i} S_i,  U_{j,p} += U_{j,i}
//             leaves ½ qᵀH q + qᵀU B + ½ BᵀD B;  inertia along the coordinates of joints is added to the diagonal of H
//   rows      closing joints and rows that children hand up: R q + R_B B = r. Unless they see motion itself (BodyFront::absolute) B is relative
//             to the reference body here, whose own columns vanish: a tree, with a boundary of one body, has no columns at all.
//   rank      Gauss–Jordan with complete pivoting:  E [R R_B] = [1 0 G; 0 1 G'; 0 0 0]  on  (q_p, B_p | t),  t = (q left, B left)
//             q_p = r₁ − G t;    B_p = r₂ − G' t: handed up;    rows of zeros: redundant, r₃ says whether they are consistent
//             A row is solved for B_p rather than q_p where its q is small against its B; the freedoms it touches are then handed up with it
//             (delayed): near a singular pose this keeps the digits that dividing by q would lose.
//   reduce    p = (q_p, B_p):   Z = V − ½ H_pp G,   K = H_tt − GᵀZ − ZᵀG,   K = 0 on B_p           V = H_pt
//             (the energy of boundary motions that obey the rows handed up; that of others would mean nothing and grow from front to front)
//   freedoms  K_BB −= K_Bq K_qq⁻¹ K_qB  by LDLᵀ, kept exactly symmetric: an unsymmetric error grows from front to front.
//   solve     up: g without pivots and freedoms, to the parent;  down: q, motions, μ of the rows;  up: λ of the forest's joints from the balance
//             of forces of each body.
// Inside, lengths are measured in units of the plan's length, which makes rotations and translations comparable, and every row is scaled to
// coefficients of about 1: "relative to the front" is relative to 1 here.
//
// Rows that depend on others: their right-hand sides are met in the least-squares sense over the rows of the front, and their multipliers are those of
// least norm, in the same sense (front_rows.cpp).
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "catena/constraint/row_set.h"
#include "catena/primary/front_joint.h"
#include "catena/primary/fronts.h"

namespace catena {

class FrontElimination {
 public:
  // Pivots at or below this are taken for zero at states that satisfy the joints: noise δ in the axes leaves about 100 δ where a row depends on
  // others, which for axes in single precision is 1e-5. A linkage closer than this to a singular pose (rad) has a row less for that instant.
  static constexpr double kRankTolerance = 3e-5;
  // At a closed state a front has more pivots than at the last one only where they exceed this: a linkage that lingers at a singular pose does not
  // change its rank from step to step.
  static constexpr double kRegainTolerance = 6e-5;
  // Inside a step a state is a little off its joints: beyond as many pivots as at the last closed state only larger ones count.
  static constexpr double kNearTolerance = 1e-2;
  // A row is solved for the boundary when its interior part is smaller than this against its boundary part.
  static constexpr double kDelayThreshold = 0.03;

  FrontElimination(const Model& model, FrontPlan plan);

  const FrontPlan& plan() const { return plan_; }

  // Inertia along the coordinates of joints, by joint, from the next factor() on; for joints that carry it, in the forests or closing loops.
  bool carries_inertia(JointId joint) const;
  // Returns whether it differs from what was set before.
  bool set_freedom_inertia(std::span<const JointArray> a);
  // out += scale times the forces that this inertia resists the motion y with.
  void add_inertia_forces(std::span<const BodyVector> y, double scale, std::span<BodyVector> out) const;

  // At the state `kinematics` was updated with; `rows`: of all joints in the model's order, evaluated there. Does not allocate.
  // `closed`: the state satisfies the joints, so that the ranks found here are expected at the states that follow.
  void factor(const Kinematics& kinematics, const RowSet& rows, bool closed);

  // y holds f on entry. `b` and `lambda` are over all rows; lambda may be empty. Does not allocate. `least`: where rows depend on each
  // other the multipliers are those of least norm, and right-hand sides that contradict each other are met in the least-squares sense; otherwise
  // any multipliers that balance the motion, and the rows that were found independent are met.
  void solve(const RowSet& rows, std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda,
             bool least = true);

  // λ of a motion y that the rows allow, under the forces f, where it is known that nothing but joints balances what it leaves of them:
  // M y − f = Jᵀλ. Costs less than to solve for it once more; any multipliers where rows depend on each other. Does not allocate.
  void multipliers(const RowSet& rows, std::span<const BodyVector> f, std::span<const BodyVector> y,
                   std::span<double> lambda);

  // The motion of each number of some bodies (model/components.h) under a unit impulse on each, once the joints have answered: half solves along the
  // ways from those bodies to their roots only,  W = Σ_fronts Z K⁻¹ Zᵀ  with Z the freedoms' part of them.
  void compliance(std::span<const BodyId> bodies, Eigen::MatrixXd& W);

  // What the last factor() found.
  int redundant() const { return found_.redundant; }
  double least_pivot() const { return found_.least_pivot; }              // of all fronts
  double largest_null() const { return found_.largest_null; }            // the largest coefficient taken for zero
  void redundant_rows(const RowSet& rows, std::vector<int>& out) const;  // by row
  std::vector<int> handed_rows() const;  // rows handed up, by body; for fronts of one body each

  // Of the last solve() or multipliers(): what redundant rows contradict the others by, relative to the largest right-hand side of their front; and the largest force
  // along a freedom that nothing balances, relative to the largest force. The first is found where `least` was asked for, the second with lambda.
  double inconsistency() const { return found_.inconsistency; }
  double force_residual() const { return found_.force_residual; }
  double largest_gap() const { return found_.largest_gap; }  // between the points of a joint of the forests, in lengths

 private:
  // A front at a state. Columns: freedoms (its own, then those delayed by children), then the boundary.
  struct Sizes {
    int freedoms = 0, row_width = 0, width = 0, row_stride = 0, stride = 0;
    int late = 0;                          // where its delayed freedoms are in the parent
    int rows = 0, solved = 0, handed = 0;  // pivots on freedoms, on the boundary
    int left = 0, delayed = 0;             // freedoms without pivot: eliminated here; handed up
    int expected = -1;                     // pivots at the last closed state

    int pivots() const { return solved + handed; }
    int column_stride() const { return (rows + 3) / 4 * 4; }  // of E and N
  };
  // What a factorisation leaves.
  struct Factor {
    double *S, *Q, *V, *R, *E, *inverse;
    double* C;   // wrenches of the closing joints that join pairs, a block each
    Vec3* arms;  // from the origin to the centres of its bodies
    struct Null {
      double* N;  // combinations of its rows that vanish, orthonormal, found when first asked for
      bool known = false;
    } null;
  };
  // What fronts work on one after the other: the same memory for all of them.
  struct Shared {
    double *U, *D;   // factor
    double *g, *mu;  // solve
  };
  // Of one solve.
  struct Vectors {
    double *gp, *gq, *r, *t, *q, *nu;
    bool loaded = false;  // forces, or right-hand sides of rows, have reached it
  };
  // By row; columns by pivot; freedoms that are left.
  struct Order {
    int *row_id, *pivot, *free;
  };
  struct Work : Sizes, Factor, Shared, Vectors, Order {
    double* row(int p) const { return R + p * row_stride; }
    // Row of H that belongs to pivot p.
    const double* pivot_row(int p) const { return p < solved ? Q + pivot[p] * stride : V + (p - solved) * stride; }
  };
  struct Load {
    Vec3 x;    // centre of mass, in lengths
    double m;  // mass times length²
    Sym3 I;
  };

  // A body and the joint of the forest it hangs on, roots first.
  struct Link {
    std::size_t body;
    int parent, joint, row;  // bodies; in joints_; first row of the joint; −1: none
    double sign, m;          // 1: it is the joint's body b, −1: its body a; kg
    Sym3 I{};
    Vec3 from_joint{}, from_parent{};  // to its centre, m
  };

  // A joint that closes a loop and carries inertia.
  struct Closer {
    int front;
    const ClosingJoint* closing;
    FrontJoint joint;
  };

  void find_closers();
  void lay_out();
  void place(const BodyFront& F, Work& w);
  void place_by_rank(Work& w);
  void load(const Kinematics& kinematics);
  void factor(std::size_t index, const RowSet& rows, bool closed);
  void assemble(const BodyFront& F, Work& w, const FrontChild& child);
  static void fold(const BodyFront& F, Work& w);
  void add_freedom_inertia(const BodyFront& F, Work& w) const;
  void add_closing_inertia(std::size_t index, Work& w);
  void add_inertia_forces(const FrontJoint& joint, std::span<const BodyVector> y, double scale,
                          std::span<BodyVector> out) const;
  void close(const BodyFront& F, Work& w, const RowSet& rows);
  void close_pair(const BodyFront& F, const Work& w, const RowSet& rows, const ClosingJoint& closing, double* R,
                  double* wrench);
  void close_any(const BodyFront& F, const Work& w, const RowSet& rows, const ClosingJoint& closing, double* R);
  void eliminate_rows(const BodyFront& F, Work& w, bool closed);
  void reduce(const BodyFront& F, Work& w);
  void carry_along(std::span<const double> b, std::span<BodyVector> f);
  bool is_pushed(const BodyFront& F, std::span<const BodyVector> f) const;
  static void rest(Work& w);
  void gather(const BodyFront& F, Work& w, std::span<const BodyVector> f) const;
  static void hand_up(const BodyFront& F, Work& w);
  void rise(std::size_t index, const RowSet& rows, std::span<const double> b, std::span<const BodyVector> f,
            bool least);
  void rise_in_balance(std::size_t index, std::span<const BodyVector> f);
  void sink(std::size_t index, std::span<BodyVector> y, std::span<double> lambda, bool least);
  void carried_between(const BodyFront& F, const Work& w, const ClosingJoint& closing, const double* wrench,
                       double* seen) const;
  void take_closing_forces(const RowSet& rows, const ClosingJoint& closing, std::span<const double> lambda);
  void share_multipliers(const BodyFront& F, Work& w, std::span<double> lambda, bool least);
  double lack_of_forces(std::span<const BodyVector> y);
  void balance(const RowSet& rows, double largest, std::span<double> lambda);
  void find_null_rows(Work& w);
  void drop_null_part(Work& w, double* x);
  void leave_pivots(const BodyFront& F, Work& w, const RowSet& rows, std::span<const double> b, bool least);
  void rows_rhs(const BodyFront& F, Work& w, const RowSet& rows, std::span<const double> b, bool least);
  void push_body(const BodyFront& F, BodyId body);
  void half_solve(std::size_t index, int from, double* kept);
  Vec3 arm(const BodyFront& F, BodyId body) const { return load_[body].x - load_[F.origin].x; }
  Vec3 joint_arm(const BodyFront& F, const FrontJoint& joint) const {
    return (1 / plan_.length) * joint.point - load_[F.origin].x;
  }
  const FrontJoint& joint_of(const FrontBody& body) const {
    return joints_[static_cast<std::size_t>(numbering_.joint_at[body.body])];
  }

  // What is fixed by the model.
  struct Numbering {
    std::vector<int> row_start;  //                                                   (n_joint + 1)
    std::vector<int> joint_at;   // of the body that hangs on it, in joints_; −1: floats  (n_body)
  };
  // Of the solve that runs.
  struct Motion {
    std::vector<BodyVector> carried;  // what the forests' rows alone ask for              (n_body)
    std::vector<BodyVector> force;    // what joints have yet to balance                   (n_body)
    bool still = false;               // nothing is asked of any row
  };
  // What the pointers of `work_` point into.
  struct Arena {
    std::vector<double> numbers;
    double *first = nullptr, *next = nullptr;  // where in it the first front begins, and the next one
    std::vector<int> integers;
    std::vector<Vec3> arms;
  };
  // What every front uses in turn.
  struct Scratch {
    double* row = nullptr;    // Z, or a row
    double* spots = nullptr;  // one six-vector a local body
    double *U = nullptr, *D = nullptr, *mu = nullptr;
    std::vector<double> coefficients, null_room;
    std::vector<const double*> pointers;
  };
  struct Findings {
    int redundant = 0;
    double least_pivot = 0, largest_null = 0, largest_gap = 0;  // of a factorisation
    double inconsistency = 0, force_residual = 0;               // of a solve
  };
  // compliance(): columns eight abreast.
  struct Stop {
    int front;
    std::size_t first;  // number in `kept`
  };
  struct HalfSolves {
    std::vector<std::vector<Stop>> ways;  // fronts from a body to its root
    std::vector<double> kept;             // what half solves leave on the freedoms of each stop
    std::vector<double> spots;            // one column set a local body's number
    std::vector<double> t, up;            // one a column of the front; what it hands up
  };

  const Model* model_;
  FrontPlan plan_;
  Numbering numbering_;
  std::vector<FrontJoint> joints_;  // those of the forests
  std::vector<Closer> closers_;     // by front
  bool has_inertia_ = false;
  std::vector<Load> load_;         //                                                   (n_body)
  std::vector<double> row_scale_;  // of closing rows                                   (n_row)
  std::vector<Link> links_;        //                                                   (n_body)
  std::vector<Work> work_;         //                                                   (n_front)
  Arena arena_;
  Scratch scratch_;
  Motion motion_;
  Findings found_;
  HalfSolves half_;
};

}  // namespace catena
