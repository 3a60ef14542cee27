// The laws that can act in a part of a step, and what they are asked for: targets, bounds and Σ. One rule for every method at velocity
// level.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "catena/contact/part.h"
#include "catena/laws/laws.h"
#include "catena/mechanism/mechanism.h"
#include "catena/model/tuning.h"

namespace catena {

class ActiveLaws {
 public:
  // `few_sweeps`: contacts that are swept are swept no more often than was asked for. Speeds that push overlaps out would then not be met, and come
  // back in the steps that follow, without end: overlaps are left to Overlaps, which moves positions alone.
  ActiveLaws(const Tuning& tuning, double restitution_threshold, bool few_sweeps)
      : tuning_(tuning.velocity), parts_(tuning.parts), threshold_(restitution_threshold), pushes_(!few_sweeps) {}

  // Gaps and speeds at the start of a part, where `laws` were found.
  void note_starts(const Laws& laws);

  // Those of `found` that can act, with bounds and Σ; targets of contacts and limits are left to set_normal_targets().
  // The mechanism knows the motion without laws.
  void gather(const LawRows& found, const PartOfStep& part, const Mechanism& mechanism);
  // Exact contacts: let σ be the speed along a normal at the start of the step and σ⁺ that at its end, each there; the gap changes by
  // h (σ + σ⁺)/2, but for h³. What is open is to touch at the end, what touches to come no nearer; σ⁺ ≤ 0, since slow meetings do not
  // bounce, and σ⁺ ≤ −σ, so that no normal works on the bodies whatever it pushes with. What overlaps is not pushed out but moved
  // (overlaps.h).
  // Swept contacts: open ones are to touch at the end; overlaps are pushed out, the faster the deeper (Lacoursière eq. 2); what meets
  // faster than the threshold leaves with e times that.
  // After gather() and Mechanism::assemble().
  void set_normal_targets(const PartOfStep& part, const Mechanism& mechanism);
  // Exact contacts: what sticks is to stick at the end of the part, where its rows are not those of the middle (what rolls on a tip, or tips over
  // an edge). `laws`, where the part is solved. After set_normal_targets().
  void set_slip_targets(const Laws& laws, const PartOfStep& part);
  // Laws on the means of the velocities before and after instead of those after: then no row works on the bodies, while friction that
  // brakes what slides after the step may push what slid the other way before it.
  void aim_at_means();
  // Friction of contacts that slip before the part and `after` it: against the mean of the two slips instead of that at the end, which is of
  // second order. True where there are contacts for which that makes a difference, and the problem is to be solved again.
  bool aim_at_mean_slips(const std::vector<BodyVector>& after);
  // Those of them that would be turned about, since their slip ends within the part: back to the slip after it. True where there are any.
  bool release_ended_slips(const std::vector<BodyVector>& after);
  // Work of those laws that only take energy.
  double work(const solve::Vector& z, int first_row, const std::vector<BodyVector>& after) const;

  // Whether some pair, open now, will meet within h faster than the threshold.
  bool any_will_meet(const LawRows& found, double h) const;
  // When the first of them meets by its gap and speed now, and which; h where none does.
  double foreseen_meeting(const LawRows& found, double h, std::uint64_t& pair) const;
  // When the first pair meets that was left out because of that: gap + σ t + c a t² = 0, c = ½ where positions follow the mean velocity. That pair is
  // kept in `pair`. Where the part was cut for a pair that meets a little later, within the `whole`, it is that one's time; where that pair was
  // only `foreseen` and does not meet, the whole.
  double time_of_meeting(const LawRows& found, const PartOfStep& part, double whole, bool foreseen,
                         const std::vector<BodyVector>& after, std::uint64_t& pair) const;

  // How long ago the first of the pairs met that overlap now, by its gap and speed; 0: none does. That pair is kept in `pair`; where one is
  // given it is that one's time, negative before it meets, and 0 where its gap is none.
  double time_since_meeting(const LawRows& found, std::uint64_t& pair) const;

  LawRows& rows() { return active_; }
  const LawRows& rows() const { return active_; }

 private:
  // A contact or limit where the part starts.
  struct Start {
    std::uint64_t key;
    double gap, speed;
    Vec3 slip{};            // contact: velocity of a over b across the normal, world axes
    bool recorded = false;  // found at the start, not extrapolated to it
  };
  Start at_start(const LawBlock& block, double speed, const PartOfStep& part, bool followed = true) const;
  bool will_meet(const LawRows& found, const LawBlock& block, const PartOfStep& part) const;
  void find_reach(const LawRows& found, const PartOfStep& part, const Mechanism& mechanism);
  bool is_out_of_reach(const LawBlock& block, const PartOfStep& part) const;
  void set_bounds(const PartOfStep& part, LawBlock& block);
  double exact_target(const LawBlock& block, double speed, const PartOfStep& part, double ease) const;
  double swept_target(const LawBlock& block, double speed, const PartOfStep& part) const;

  // Rows of a contact whose friction is against its mean slip, and their targets before that.
  struct MeanSlip {
    int row;
    std::array<double, 2> target;
  };

  VelocityTuning tuning_;
  PartTuning parts_;
  double threshold_;
  bool pushes_;
  std::vector<Start> starts_;  // by key
  LawRows active_;
  std::vector<MeanSlip> mean_slips_;
  double fastest_ = 0;          // m/s or rad/s: of all rows
  std::vector<double> nearby_;  // the same of the rows that touch a body                  (n_body)
};

}  // namespace catena
