#include "catena/model/method_settings.h"

namespace catena {
namespace {

// Every word, as it is where nothing else is asked for: a method given with its fields leaves nothing of another's.
MethodWords defaults(Method method) {
  const MethodSettings usual;
  return {.method = method,
          .integrator = usual.integrator(),
          .stabilise = usual.stabilise(),
          .solver = usual.solver(),
          .tolerance = usual.tolerance(),
          .position_tolerance = usual.position_tolerance(),
          .velocity_tolerance = usual.velocity_tolerance(),
          .coordinates = usual.coordinates(),
          .contacts = usual.contacts(),
          .law_solver = usual.law_solver(),
          .formulation = usual.formulation(),
          .sweeps = usual.sweeps(),
          .baumgarte = usual.baumgarte()};
}

}  // namespace

MethodSettings::MethodSettings(const Lagrange& method) : words_(defaults(Method::lagrange)) {
  words_.integrator = method.integrator;
  words_.tolerance = method.tolerance;
  words_.stabilise = method.stabilise;
  words_.baumgarte = method.baumgarte;
  words_.solver = method.solver;
  words_.coordinates = method.coordinates;
}

MethodSettings::MethodSettings(const Impulse& method) : words_(defaults(Method::impulse)) {
  words_.integrator = method.integrator;
  words_.position_tolerance = method.position_tolerance;
  words_.velocity_tolerance = method.velocity_tolerance;
  words_.solver = method.solver;
  words_.coordinates = method.coordinates;
}

MethodSettings::MethodSettings(const Spook& method) : words_(defaults(Method::spook)) {
  words_.integrator = method.integrator;
  words_.stabilise = method.stabilise;
  words_.solver = method.solver;
  words_.coordinates = method.coordinates;
  words_.contacts = method.contacts;
  words_.law_solver = method.law_solver;
  words_.sweeps = method.sweeps;
}

MethodSettings::MethodSettings(const Operational& method) : words_(defaults(Method::operational)) {
  words_.integrator = method.integrator;
  words_.coordinates = method.coordinates;
  words_.contacts = method.contacts;
  words_.law_solver = method.law_solver;
  words_.sweeps = method.sweeps;
}

MethodSettings::MethodSettings(const Formulated& method) : words_(defaults(Method::operational)) {
  words_.formulation = method.formulation;
  words_.integrator = method.integrator;
  words_.law_solver = method.law_solver;
}

void MethodSettings::change(const MethodWords& words) {
  const auto put = [](const auto& given, auto& word) {
    if (given) word = given;
  };
  put(words.method, words_.method);
  put(words.integrator, words_.integrator);
  put(words.stabilise, words_.stabilise);
  put(words.solver, words_.solver);
  put(words.tolerance, words_.tolerance);
  put(words.position_tolerance, words_.position_tolerance);
  put(words.velocity_tolerance, words_.velocity_tolerance);
  put(words.coordinates, words_.coordinates);
  put(words.contacts, words_.contacts);
  put(words.law_solver, words_.law_solver);
  put(words.formulation, words_.formulation);
  put(words.sweeps, words_.sweeps);
  put(words.baumgarte, words_.baumgarte);
}

}  // namespace catena
