// Complementarity problems by themselves: LCPs, mixed LCPs and problems with friction cones, from dense or sparse matrices.
#pragma once

#include "catena/solve/solve.h"
