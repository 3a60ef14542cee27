// Impacts: Poisson's law in two phases (Jain §7), for every method.
//   compression     impulses z that bring the velocities of what touches to w ≥ 0, with Coulomb's law: a step without time
//   decompression   each normal gives back e times what it stored, with friction up to its share of that; what then still comes
//                   together is stopped
#pragma once

#include <functional>
#include <vector>

#include "catena/contact/impact.h"
#include "catena/laws/laws.h"
#include "catena/mechanism/mechanism.h"
#include "catena/model/tuning.h"
#include "catena/solve/solve.h"

namespace catena {

// The largest fraction x ≤ 1 of the rebound `back` for which the impact adds no energy: E(z + x back) ≤ 0, E(z) = zᵀb + ½ zᵀA z. Poisson's law alone does
// not promise that: what was at rest on others gives nothing back of what those press it with.
double part_without_energy(const Eigen::MatrixXd& A, const solve::Vector& b, const solve::Vector& z,
                           const solve::Vector& back);

// Answers a contact problem.
using ContactAnswer = std::function<solve::Solution(const solve::Problem&)>;

// The impulses of an impact in two phases. `met`: what touches; its rows come first in `problem`, whose b are the speeds they meet with.
// `residual`: of the compression.
solve::Vector poisson_impulses(const solve::Problem& problem, const LawRows& met, double threshold,
                               const ContactAnswer& answer, double& residual);

// Of a block of `met`, whose impulses z changed the motion of the bodies by y.
Impact impact_of(const LawBlock& block, const LawRows& met, const Laws& laws, const solve::Vector& z,
                 const std::vector<BodyVector>& y, double time);

// What an impact says of itself.
struct ImpactReport {
  double residual = 0;  // of the compression
  bool listed = false;  // some pair met faster than the threshold
};

class Impacts {
 public:
  // `threshold` [m/s or rad/s]: slower meetings do not bounce. `tolerance` of the solver.
  Impacts(const PartTuning& tuning, double threshold, double tolerance)
      : tuning_(tuning), threshold_(threshold), tolerance_(tolerance) {}

  // Whether any touching pair approaches faster than `slowest`. `laws` were found at the state of the impact.
  bool meeting(const Laws& laws, double slowest);
  // Applies the impacts of what touches, after meeting() returned true, at the state the mechanism is placed and factored at. Only velocities change.
  ImpactReport throw_back(const Laws& laws, Mechanism& mechanism, int facets, const ContactAnswer& answer,
                          State& state);
  // An answer for methods without a solver of their own: exact where that is quick. The exact ways may take seconds on many contacts that leave
  // open which of them carries how much; those are swept.
  solve::Solution answer(const solve::Problem& problem) const;

  // Lists one that somebody else solved for.
  void add(const Impact& impact) { list_.push_back(impact); }
  void clear() { list_.clear(); }
  const std::vector<Impact>& list() const { return list_; }

 private:
  PartTuning tuning_;
  double threshold_, tolerance_;
  LawRows met_;
  std::vector<Impact> list_;
};

}  // namespace catena
