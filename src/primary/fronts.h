// Which bodies are eliminated together where joints close loops: fronts, found once from the topology of a model.
//
// A front is a set of interior bodies and the few boundary bodies through which they touch the rest of the mechanism; the ground is not a body.
// Fronts are eliminated children first, and a boundary body is interior to a front further up: a tree decomposition of the graph of bodies. The
// order is one of minimum degree in which the ground counts as a neighbour, so that chains are eliminated from their tips; fronts then
// merge with their parents where counted operations say that this is cheaper. Inside a front a spanning forest hangs the interior bodies on boundary
// bodies, on the ground or on nothing; its joints hold identically, the other joints of the front are its closing rows.
#pragma once

#include <optional>
#include <vector>

#include "catena/model/model.h"

namespace catena {

// A body as a front sees it. Local numbers: boundary bodies first, the reference body the last of them, then interior bodies, parents first.
struct FrontBody {
  BodyId body{};
  int parent = -1;   // local body it hangs on; −1: the ground, or nothing
  JointId joint{};   // that holds it there; not valid(): it floats
  int first = 0;     // its first freedom in the front
  int freedoms = 0;  // 0 … 3 of a joint, 3 or 6 of a body that floats
};

// A joint of the front outside its forest.
struct ClosingJoint {
  JointId joint;
  int rows = 0;
  std::vector<int> places{};  // local body of each term of its rows (constraint/row_set.h), row by row
  std::vector<int> path{};    // interior bodies whose freedoms its rows see, last first
  std::vector<int> roots{};   // boundary bodies whose motion they see
  // Of a joint between two bodies, or a body and the ground: those freedoms and roots again, +1 on the side of b, −1 on that of a; of the roots
  // in `ends` only those whose numbers are columns of the rows.
  struct Sight {
    int where;
    double sign;
  };
  std::vector<Sight> freedoms{}, ends{}, all_ends{};
  // Each of its rows is a wrench between two bodies, local a and b, or a body and the ground (−1).
  bool pair = false;
  int a = -1, b = -1;
};

struct FrontChild {
  int front = 0;
  std::vector<int> map{};   // its boundary body k is our local body map[k]
  std::vector<int> path{};  // our interior bodies that carry those, last first
};

struct BodyFront {
  int parent = -1;  // −1: none
  int sibling = 0;  // which of its parent's children it is
  BodyId origin;    // all its motions are twists at the centre of mass of this body
  int boundary = 0, interior = 0;
  // Its rows see motion itself: the ground takes part, or a particle, or a gear. Otherwise they see relative motion only.
  bool absolute = false;
  std::vector<FrontBody> bodies;  //                                                       (boundary + interior)
  int freedoms = 0;               // of the interior bodies
  int row_columns =
      0;  // numbers of the boundary that rows can see: 6 a body, without the reference where motion is relative
  bool relative() const { return row_columns < 6 * boundary && boundary > 1; }
  std::vector<ClosingJoint> closing;
  int own_rows = 0;  // of the closing joints
  std::vector<FrontChild> children;
  struct Most {
    int rows = 0, freedoms = 0;  // with what children may hand up
    int delayed = 0;             // what it may hand up itself
  } most;

  // Which 6x6 blocks meet when interior bodies are folded onto their parents, last first.
  struct Folding {
    struct Coupling {
      int other, block;
    };
    int blocks = 0;                   // of the interior: one a body, then one a coupling
    std::vector<Coupling> couplings;  // those of interior body i: from coupling_start[i − boundary] on
    std::vector<int> coupling_start;  //
    std::vector<int> met, met_start;  // freedoms of bodies below that couple with it, likewise
    std::vector<int> block_of;        // of a pair of local bodies, the larger first; −1: none   (local x local)
  } fold;

  int local() const { return boundary + interior; }
};

struct FrontPlan {
  std::vector<BodyFront> fronts;  // children before parents
  std::vector<int> front_of;      // whose interior a body is in                             (n_body)
  double length = 1;              // m: mean distance from joints to centres of mass, the unit of length inside fronts
  double flops = 0;               // multiplications of a factorisation and a solve, estimated
  int widest = 0;                 // boundary bodies of the widest front
};

// Why fronts do not apply to a model; empty where they do.
std::string fronts_decline(const Model& model);

// nullopt where the order alone shows that more than `most_flops` are needed. `merge`: amalgamate.
// `handed`: by body, how many rows a front of that body alone hands up, from a factorisation of fronts that were not merged; empty: estimated
// as if no row depended on others.
std::optional<FrontPlan> plan_fronts(const Model& model, double most_flops = 1e300, bool merge = true,
                                     const std::vector<int>& handed = {});

// The freedoms a joint leaves between bodies whose relative motion it describes; −1: its rows are all there is to say of it.
int tree_freedoms(const Model& model, const Joint& joint);
// Of a body that nothing holds.
int float_freedoms(BodyKind kind);

}  // namespace catena
