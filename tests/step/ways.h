// The ways a contact that gives way can be stepped: four methods, both kinds of coordinates, Gauss-Seidel.
#pragma once

#include "catena/catena.h"

namespace catena::testing_step {

struct StepWay {
  const char* name;
  Options options;
};

inline const StepWay kStepWays[] = {
    {"spook", {.method = Method::spook, .step = 1e-3}},
    {"operational", {.method = Method::operational, .step = 1e-3}},
    {"gauss-seidel", {.method = Spook{.law_solver = LawSolver::gauss_seidel}, .step = 1e-3}},
    {"spook reduced", {.method = Spook{.coordinates = Coordinates::reduced}, .step = 1e-3}},
    {"operational maximal", {.method = Operational{.coordinates = Coordinates::maximal}, .step = 1e-3}},
    {"lagrange", {.method = Method::lagrange, .step = 1e-3}},
    {"lagrange reduced", {.method = Lagrange{.coordinates = Coordinates::reduced}, .step = 1e-3}},
    {"impulse", {.method = Method::impulse, .step = 1e-3}},
    {"impulse reduced", {.method = Impulse{.coordinates = Coordinates::reduced}, .step = 1e-3}}};

}  // namespace catena::testing_step
