#include "catena/collide/broad_phase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace catena {
namespace broad_phase_test {

Aabb cube(const Vec3& centre, double half) {
  return {centre - Vec3{half, half, half}, centre + Vec3{half, half, half}};
}

std::vector<std::pair<int, int>> by_force(const std::vector<Aabb>& boxes, const std::vector<char>& moves) {
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j)
      if ((moves[i] || moves[j]) && overlap(boxes[i], boxes[j])) pairs.emplace_back(i, j);
  return pairs;
}

TEST(BroadPhase, FindsThePairsThatEveryBoxAgainstEveryOtherFinds) {
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> any(-1, 1);
  BroadPhase broad;
  std::vector<Aabb> boxes;
  std::vector<char> moves;
  for (int i = 0; i < 300; ++i) {
    boxes.push_back(cube({any(rng), any(rng), any(rng)}, 0.05));
    moves.push_back(i % 3 != 0);
    broad.add(boxes.back(), moves.back());
  }
  std::vector<std::pair<int, int>> pairs;
  for (int round = 0; round < 20; ++round) {
    broad.pairs(pairs);
    EXPECT_EQ(pairs, by_force(boxes, moves)) << round;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (!moves[i] || round % 2 == static_cast<int>(i % 2)) continue;
      boxes[i] = cube({any(rng), any(rng), any(rng)}, 0.05);
      broad.move(static_cast<int>(i), boxes[i]);
    }
  }
}

// Bullet's tree, filled with boxes that coincide or follow each other, becomes a list: as deep as it has leaves. A collider knows no
// positions when it is made, and bodies of a scene often stand in a row.
TEST(BroadPhase, TreesOfAHundredThousandBoxesAreShallowWhereverTheBoxesAre) {
  constexpr int kBoxes = 100000;
  const double most = 3 * std::log2(kBoxes);
  const std::vector<std::function<Vec3(int)>> places{
      [](int i) {
        return Vec3{1.0 * i, 0, 0};
      },  // in a row
      [](int i) {
        return Vec3{1.0 * (i % 317), 1.0 * (i / 317), 0};
      },  // in rows
      [](int i) {
        return Vec3{1.0 * (i % 47), 1.0 * (i / 47 % 47), 1.0 * (i / 47 / 47)};
      },  // in a block
      [](int i) {
        return Vec3{-1.0 * i, 1e-3 * i * i, std::sin(i)};
      }};
  for (const auto& place : places) {
    BroadPhase broad;
    for (int i = 0; i < kBoxes; ++i) broad.add({}, true);  // as a collider does
    EXPECT_LE(broad.depth(), most);
    for (int i = 0; i < kBoxes; ++i) broad.move(i, cube(place(i), 0.4));
    std::vector<std::pair<int, int>> pairs;
    broad.pairs(pairs);
    EXPECT_TRUE(pairs.empty());
    EXPECT_LE(broad.depth(), most);
  }
}

TEST(BroadPhase, BoxesThatAllCoincideMakeAShallowTreeToo) {
  constexpr int kBoxes = 300;
  BroadPhase broad;
  for (int i = 0; i < kBoxes; ++i) broad.add(cube({1, 2, 3}, 1), true);
  std::vector<std::pair<int, int>> pairs;
  broad.pairs(pairs);
  EXPECT_EQ(pairs.size(), std::size_t{kBoxes} * (kBoxes - 1) / 2);
  EXPECT_LE(broad.depth(), 2 * std::log2(kBoxes));
}

TEST(BroadPhase, BoxesOfManyGroupsAreFound) {
  BroadPhase broad;
  for (int i = 0; i < 1000; ++i) broad.add_to_group(cube({1.0 * (i / 2), 0, 0}, 0.4), i % 500);
  std::vector<std::pair<int, int>> pairs;
  broad.pairs(pairs);
  std::vector<std::pair<int, int>> wanted;
  for (int i = 0; i < 1000; i += 2) wanted.emplace_back(i, i + 1);
  EXPECT_EQ(pairs, wanted);
}

}  // namespace broad_phase_test
}  // namespace catena
