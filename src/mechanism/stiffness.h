// Whether springs, dampers and servos are too stiff for explicit steps of a given length.
//     ratio = w (h d + h² k)
// of a spring, damper or servo of stiffness k and damping d along a direction J that answers a unit impulse with the speed w = J M̂⁻¹ Jᵀ, the joints
// answering too. The explicit rk4 is stable up to h d w = 2.78 and h² k w = 7.8; a row of equal springs is up to four times as stiff as one of
// them, and w changes as a mechanism moves. Beyond StabilityTuning::stiff such forces are taken implicitly (mechanism/impedance.h).
#pragma once

#include <string>

#include "catena/model/model.h"
#include "catena/model/settings.h"
#include "catena/model/state.h"
#include "catena/model/tuning.h"

namespace catena {

struct Stiffness {
  double ratio = 0;  // the largest of the model, or a bound on it where that is small
  std::string part;  // what has it, as a message would name it
};

// At the initial state, which must be assembled. O(n), and a factorisation where bodies without joints would be stiff.
Stiffness stiffness_of_steps(const Model& model, const State& initial, double h, const StabilityTuning& tuning = {});

// Why explicit steps of h must not be taken: something is stiffer than StabilityTuning::stiff, or has the inertia of a rotor, which only the
// implicit scheme takes unless `takes_rotors`. Empty: they may.
std::string why_implicit(const Model& model, const State& initial, double h, bool takes_rotors = false,
                         const StabilityTuning& tuning = {});

// The same of contacts that give way, where they are taken explicitly too: by any pair of materials that bodies and the ground have, `relaxation` being
// τ where a pair has none [s]. A corner of a box answers with up to w = 4/m.
std::string why_implicit_contacts(const Model& model, double h, double relaxation, const StabilityTuning& tuning = {});

// Why the method asked for takes none of its steps, since all of them would be explicit; empty: it takes them.
std::string why_all_implicit(const Model& model, const State& initial, const Settings& settings, bool takes_rotors,
                             double relaxation);

}  // namespace catena
