// The equations of motion as matrices: mass matrix, Jacobians, bias, inverse and forward dynamics, compliance, centroidal quantities;
// equilibria, linear models and modes.
#pragma once

#include "catena/catena.h"
#include "catena/primary/centroidal.h"
#include "catena/simulation/coordinate_names.h"
#include "catena/simulation/equilibrium.h"
#include "catena/simulation/joint_dynamics.h"
#include "catena/simulation/linear_model.h"
