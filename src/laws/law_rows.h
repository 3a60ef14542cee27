// Rows with laws: what contacts, limits, dry friction and motors with limited force ask of the velocities. A block of rows has a law
// (solve/problem.h) between its impulses z and w = J v⁺ + Σ z − target.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "catena/constraint/rows.h"

namespace catena {

enum class LawKind : std::uint8_t {
  contact,  // 3 rows (2 in the plane): along the normal and the tangents; z in the friction cone. 1 row: the normal alone, z ≥ 0
  limit,         // 1 row, z ≥ 0
  dry_friction,  // 1 row, |z| ≤ bound
  motor,         // 1 row, |z| ≤ bound
  soft,          // the rows of a joint with compliance: equalities with Σ > 0
  inertia,       // 1 row, an equality with Σ = 1/a: inertia a along J (mechanism/impedance.h)
  turn,          // 1 row, |z| ≤ lever · normal of its contact: rolling and torsional friction
};

struct LawRow {
  BodyVector a, b;   // J on the block's bodies, restricted to their kinds
  double speed = 0;  // J v at the state the rows were evaluated at
  double phi = 0;    // soft: the violation; motor: the velocity asked for
  double c = 0;      // d/dt (J v) = J v̇ + c; of contacts only where Laws::find_bias() was asked
  // Filled by the method.
  double target = 0;  // w = J v⁺ + Σ z − target
  double sigma = 0;   // Σ
  // What few rows have is kept beside them, at these places of LawRows; −1: they have none.
  int on_forms = -1;  // J on the forms of the bodies
  int push = -1;      // K

  // It pushes along K, not along J: a normal that drags its friction with it (Baraff §8: K need not be Jᵀ).
  bool is_oblique() const { return push >= 0; }
  // Nothing moves along it.
  void hold() { a = b = {}, on_forms = -1; }
};

struct LawBlock {
  LawKind kind = LawKind::contact;
  BodyId a, b;
  struct Forms {
    BodyId a{}, b{};
  };
  Forms own{};              // the blocks of their forms, where they have one (model/form_blocks.h)
  int first = 0, size = 1;  // its rows
  int source = -1;          // index of the contact, or of the joint
  double gap = 0;           // contact, limit: how far from touching; m or rad
  double restitution = 0;
  double force = 0;  // dry_friction, motor: the largest, N or N·m
  // Soft, and what gives way: along its normal.
  struct Spring {
    double compliance = 0, relaxation = 0;
  };
  Spring spring{};
  // Contact: what there is across its normal.
  struct Across {
    std::array<double, 2> friction{};  // along the two tangents
    double creep = 0;                  // slip of what sticks a newton of friction [m/s/N]
    double shift =
        0;  // the middle of the friction's ellipse along the first tangent, where forward and backward differ; its normal row pushes
            // obliquely by this much
    int facets = 0;  // of the pyramid that stands for the cone; 0: the cone
  };
  Across across{};
  // Rolling and torsion: the lever of the normal force [m], and the key of their contact.
  struct Turn {
    double lever = 0;
    std::uint64_t parent = 0;
  };
  Turn turn{};
  std::uint64_t key = 0;  // names it from step to step
  double bound = 0;       // dry_friction, motor, turn: the largest impulse; filled by the method
};

inline bool only_pushes(const LawBlock& block) {
  return block.kind == LawKind::contact || block.kind == LawKind::limit;
}
// A contact or limit that gives way: a spring with a damper along its normal, which only pushes, and only while it is passed.
inline bool gives_way(const LawBlock& block) { return only_pushes(block) && block.spring.compliance > 0; }

// What gives way: those, and joints with compliance.
inline bool is_spring(const LawBlock& block) { return block.kind == LawKind::soft || gives_way(block); }
// Whether a row of it is the spring: all of a joint's, of what only pushes that along the normal.
inline bool is_spring_row(const LawBlock& block, int row) {
  return block.kind == LawKind::soft || (row == 0 && gives_way(block));
}

// Σ of a tangent, where friction pushes for a time t: the slip is to be −γ f, and w = J v + Σ z with z = t f. A tangent has no place it could be pulled
// back to: "for a nonholonomic constraint, the corresponding entry in Υ vanishes" (Lacoursière, eq. 2).
inline double creep_sigma(const LawBlock& contact, double t) { return contact.across.creep / t; }

// Whether it only pushes, only once its gap has closed, and lets nothing through.
inline bool is_unilateral(const LawBlock& block) { return only_pushes(block) && block.spring.compliance == 0; }

// How far a law that gives way is from pushing, at this speed of its normal [m or rad]: its force is −(gap + τ speed)/ε while both the gap and that are negative. It never pulls.
inline double room_before_push(const LawBlock& block, double speed, double relaxation) {
  return block.gap + (speed > 0 ? relaxation * speed : 0);
}

struct LawRows {
  // On the two bodies of a block, and on the forms these have.
  struct OnForms {
    BodyVector a, b;
  };
  struct Push {
    BodyVector a, b;
    OnForms on_forms;
  };
  std::vector<LawRow> rows;
  std::vector<LawBlock> blocks;
  std::vector<OnForms> forms;
  std::vector<Push> pushes;

  LawRow& row(const LawBlock& block, int i = 0) { return rows[static_cast<std::size_t>(block.first + i)]; }
  const LawRow& row(const LawBlock& block, int i = 0) const { return rows[static_cast<std::size_t>(block.first + i)]; }
  OnForms& forms_of(const LawRow& row) { return forms[static_cast<std::size_t>(row.on_forms)]; }
  const OnForms& forms_of(const LawRow& row) const { return forms[static_cast<std::size_t>(row.on_forms)]; }
  const Push& push_of(const LawRow& row) const { return pushes[static_cast<std::size_t>(row.push)]; }
  void clear() {
    rows.clear();
    blocks.clear();
    forms.clear();
    pushes.clear();
  }

  // K = J, from where it may be changed.
  void push_obliquely(LawRow& row) {
    if (row.is_oblique()) return;
    row.push = static_cast<int>(pushes.size());
    pushes.push_back({row.a, row.b, row.on_forms < 0 ? OnForms{} : forms_of(row)});
  }
  // A row pushes along another one too, one of `others`, `share` times as hard.
  void push_along(LawRow& row, const LawRows& others, const LawRow& other, double share) {
    push_obliquely(row);
    Push& K = pushes[static_cast<std::size_t>(row.push)];
    K.a += share * other.a, K.b += share * other.b;
    if (other.on_forms < 0) return;
    const OnForms on_forms = others.forms_of(other);
    K.on_forms.a += share * on_forms.a, K.on_forms.b += share * on_forms.b;
  }
};

// The law of this name; null where it is not among them.
inline const LawBlock* block_of(const LawRows& laws, std::uint64_t key) {
  const auto at =
      std::find_if(laws.blocks.begin(), laws.blocks.end(), [&](const LawBlock& block) { return block.key == key; });
  return at == laws.blocks.end() ? nullptr : &*at;
}

// Adds a block of other laws and its rows.
inline LawBlock& append(const LawRows& from, const LawBlock& block, LawRows& to) {
  to.blocks.push_back(block);
  to.blocks.back().first = static_cast<int>(to.rows.size());
  for (int i = 0; i < block.size; ++i) {
    const LawRow& row = from.row(block, i);
    LawRow& added = to.rows.emplace_back(row);
    if (row.on_forms >= 0) {
      added.on_forms = static_cast<int>(to.forms.size());
      to.forms.push_back(from.forms_of(row));
    }
    if (row.is_oblique()) {
      added.push = static_cast<int>(to.pushes.size());
      to.pushes.push_back(from.push_of(row));
    }
  }
  return to.blocks.back();
}

// Visits the laws in their order. `take` says whether a law is taken; rolling and torsion follow their contact: they are offered where it was taken.
template <class Take>
void for_each_law(const LawRows& laws, Take&& take) {
  std::uint64_t pressed = 0;  // the contact taken last
  for (const LawBlock& block : laws.blocks) {
    if (block.kind == LawKind::turn && block.turn.parent != pressed) continue;
    if (take(block) && block.kind == LawKind::contact) pressed = block.key;
  }
}

// A body a block acts on, or the form of one.
struct LawSide {
  BodyId body;
  bool first, is_form;
};
inline std::array<LawSide, 4> sides_of(const LawBlock& block) {
  return {{{block.a, true, false}, {block.b, false, false}, {block.own.a, true, true}, {block.own.b, false, true}}};
}
// J of a row there.
inline const BodyVector& J_at(const LawSide& side, const LawRows& laws, const LawRow& row) {
  static constexpr BodyVector kNone{};
  if (!side.is_form) return side.first ? row.a : row.b;
  if (row.on_forms < 0) return kNone;
  const LawRows::OnForms& on_forms = laws.forms_of(row);
  return side.first ? on_forms.a : on_forms.b;
}

// J v of a row, where velocity(body) is that of a body.
template <class Velocity>
double times(const LawRows& laws, const LawBlock& block, const LawRow& row,
             Velocity&& velocity) requires std::is_invocable_v<Velocity, BodyId> {
  double sum = 0;
  if (block.a.valid()) sum += dot(row.a, velocity(block.a));
  if (block.b.valid()) sum += dot(row.b, velocity(block.b));
  if (row.on_forms >= 0) [[unlikely]] {
    const LawRows::OnForms& on_forms = laws.forms_of(row);
    if (block.own.a.valid()) sum += dot(on_forms.a, velocity(block.own.a));
    if (block.own.b.valid()) sum += dot(on_forms.b, velocity(block.own.b));
  }
  return sum;
}
inline double times(const LawRows& laws, const LawBlock& block, const LawRow& row, const std::vector<BodyVector>& v) {
  return times(laws, block, row, [&](BodyId body) -> const BodyVector& { return v[body]; });
}
// f += K z; K = Jᵀ unless the row is oblique.
inline void add_force(const LawRows& laws, const LawBlock& block, const LawRow& row, double z,
                      std::vector<BodyVector>& f) {
  const LawRows::Push* K = row.is_oblique() ? &laws.push_of(row) : nullptr;
  if (block.a.valid()) f[block.a] += z * (K ? K->a : row.a);
  if (block.b.valid()) f[block.b] += z * (K ? K->b : row.b);
  if (!K && row.on_forms < 0) return;
  const LawRows::OnForms& on_forms = K ? K->on_forms : laws.forms_of(row);
  if (block.own.a.valid()) f[block.own.a] += z * on_forms.a;
  if (block.own.b.valid()) f[block.own.b] += z * on_forms.b;
}

// Those of all rows; z has them from `first` on.
template <class Impulses>
void add_forces(const LawRows& laws, const Impulses& z, int first, std::vector<BodyVector>& f) {
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(laws, block, laws.rows[static_cast<std::size_t>(i)], z[first + i], f);
}

}  // namespace catena
