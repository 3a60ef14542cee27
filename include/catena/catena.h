// catena: articulated multibody dynamics in linear time.
//
//   auto scene = catena::load("robot.yaml");                       // Scene: Model + initial State + settings; throws InputError
//   catena::Simulation sim(scene, {.method = catena::Method::automatic, .step = 1e-3});
//   sim.joint("elbow").set_torque(2.0);
//   const catena::StepReport r = sim.step();                       // status, residual, drift, contacts; never throws
//   const catena::BodyState& b = sim.body("hand");
//   std::span<const double> q = sim.q(), v = sim.v();              // all joint coordinates and their rates
//
// More: catena/dynamics.h (mass matrix, Jacobians, inverse and forward dynamics), catena/eigen.h (our vectors as Eigen's), catena/solve.h
// (complementarity and friction problems), catena/systems.h (the linear-time factorisations themselves). A Model may be shared by
// threads, a Simulation belongs to one at a time (simulation.h).
#pragma once

#include "catena/model/builder.h"
#include "catena/model/model.h"
#include "catena/scene/scene.h"
#include "catena/simulation/interpolate.h"
#include "catena/simulation/sample.h"
#include "catena/simulation/simulation.h"
