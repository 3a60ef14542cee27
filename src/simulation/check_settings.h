// Settings that contradict each other are refused; those that have no effect are said to have none.
#pragma once

#include "catena/model/model.h"
#include "catena/model/settings.h"

namespace catena {

// Whether the joints are solved for one by one or part by part, again and again (method impulse), or by conjugate gradients.
bool is_iterated(LinearSolver solver);
// By conjugate gradients (methods lagrange and impulse).
bool is_conjugate(LinearSolver solver);

// Throws InputError. The method must have been chosen.
void check_settings(const Settings& settings);

// Adds what the model asks for and this method does not do, and what was `asked` for and is not `used` by the method and solvers chosen.
void warn_of_settings(const Model& model, const Settings& asked, const Settings& used, Warnings& warnings);

}  // namespace catena
