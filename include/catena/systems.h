// The lower levels: Baraff's factorisation of a tree of joints (MaximalSystem), articulated bodies in joint coordinates (ReducedSystem) and the
// compliance of both, all constraints of a model behind one interface (ConstraintSystem), and accelerations at a state (Dynamics).
#pragma once

#include "catena/joints/constraint_system.h"
#include "catena/mechanism/dynamics.h"
#include "catena/primary/compliance.h"
#include "catena/primary/maximal_system.h"
#include "catena/primary/reduced_dynamics.h"
#include "catena/primary/reduced_system.h"
