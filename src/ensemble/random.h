// Random numbers by counter: each is a function of its place alone, so any member of an ensemble can be drawn by itself, anywhere.
//
// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011). Everything on top of it uses
// additions, multiplications, divisions and square roots only, no function of the C library, so the bits are those of any processor.
#pragma once

#include <array>
#include <cstdint>

namespace catena {

using PhiloxCounter = std::array<std::uint32_t, 4>;
PhiloxCounter philox(PhiloxCounter counter, std::array<std::uint32_t, 2> key);

// Where a number stands.
struct RandomPlace {
  std::uint64_t seed = 0, member = 0;
  std::uint32_t parameter = 0;
  std::uint32_t purpose = 0;  // numbers of other purposes are independent
};

// Strictly between 0 and 1, 52 random bits.
double uniform_at(const RandomPlace& place);

// A permutation of 0 … count - 1: where it puts `index`. Another one for each seed, parameter and group. A Feistel network with Philox as its
// round function on the next power of 4, walked until it lands below count; at most four walks on average. O(1) memory.
std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed, std::uint32_t parameter,
                       std::uint32_t group);

// x with Φ(x) = p for 0 < p < 1, Φ(x) to about 1e-14 of the smaller of p and 1 - p.
double normal_quantile(double p);

}  // namespace catena
