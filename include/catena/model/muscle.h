// A muscle with force-length-velocity curves, as robot files have it: along its transmission of length ℓ
//     p = −F (F_L(L) F_V(V) x + F_P(L)),     L = r₀ + (ℓ − ℓ₀)/L₀,   V = ℓ̇/(L₀ v),   L₀ = (ℓ₁ − ℓ₀)/(r₁ − r₀)
// L is its length in units of the one at which it is strongest, x its activation. F_L is a bell of parabolas from `shortest` over 1 to
// `longest`, F_V falls to 0 at the fastest shortening and rises to `lengthening`, F_P is a parabola from L = 1 that goes on as a straight line.
#pragma once

namespace catena {

struct Muscle {
  double length_lower = 0, length_upper = 1;      // ℓ₀, ℓ₁: the range of ℓ
  double range_lower = 0.75, range_upper = 1.05;  // r₀, r₁: that range in units of L₀
  double force = 1;                               // F, N
  double shortest = 0.5, longest = 1.6;           // L where the active force ends
  double fastest = 1.5;                           // v, L₀ a second
  double passive = 1.3, lengthening = 1.2;  // of F: F_P halfway between 1 and `longest` is half of it; F_V at most
};

// Gain and bias of p = gain · x + bias, and what they change by.
struct MusclePull {
  double gain = 0, bias = 0;
  double gain_by_length = 0, gain_by_rate = 0, bias_by_length = 0;
};
MusclePull pull_of(const Muscle& muscle, double length, double rate);

}  // namespace catena
