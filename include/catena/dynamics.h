// The equations of motion as matrices: mass matrix, Jacobians, bias, inverse and forward dynamics, compliance, centroidal quantities.
#pragma once

#include "catena/catena.h"
#include "catena/primary/reduced_dynamics.h"
#include "catena/simulation/joint_dynamics.h"
