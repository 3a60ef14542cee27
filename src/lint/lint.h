// Whether a scene says what its author meant: numbered rules, one table (lint.cpp), from which the findings and docs/reference/check.md come.
// A finding is no error: the scene can be run, but what it says is impossible for a real mechanism or is rarely meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/scene.h"

namespace catena {

class Simulation;

struct LintFinding {
  std::string_view rule;  // "R01"
  std::string place;      // "file:line:column", or the file alone where no line is known
  std::string message;    // names the body or joint
};

// What the rules look at. `simulation` is the scene assembled; null where it cannot be, and `refusal` then says why.
struct LintInput {
  const Scene& scene;
  const Simulation* simulation = nullptr;
  std::string refusal{};
};

class Linter;

struct LintRule {
  std::string_view number, title;
  std::string_view meaning, remedy;  // sentences of docs/reference/check.md
  void (*look)(Linter&);
};

std::span<const LintRule> lint_rules();

// All rules over the scene, in the order of their numbers.
std::vector<LintFinding> lint(const LintInput& input);
// Assembles the scene first.
std::vector<LintFinding> lint(const Scene& scene);

// The list of rules as a page (Markdown).
std::string lint_reference();

}  // namespace catena
