// catena: articulated multibody dynamics in linear time.
//
//   auto scene = catena::load("robot.yaml");                       // Scene: Model + initial State + settings; throws InputError
//   catena::Simulation sim(scene, {.method = catena::Method::automatic, .step = 1e-3});
//   sim.joint("elbow").set_torque(2.0);
//   const catena::StepReport r = sim.step();                       // status, residual, drift, contacts; never throws
//   const catena::BodyState& b = sim.body("hand");
//
// The lower levels are public too: catena/primary/maximal_system.h (the O(n) factorisation), catena/joints/constraint_system.h
// (all constraints behind one interface), catena/solve/ (bare algebra).
#pragma once

#include "catena/model/builder.h"
#include "catena/model/model.h"
#include "catena/scene/scene.h"
#include "catena/simulation/sample.h"
#include "catena/simulation/simulation.h"
