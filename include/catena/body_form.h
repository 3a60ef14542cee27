// Kinds of body of your own: derive from catena::BodyForm, give it to a BodySpec with kind formed. A body `blob` then has its coordinates in
// form_coordinates(simulation.body("blob.form")). Example: examples/cpp/own_body.cpp.
#pragma once

#include "catena/model/body_form.h"
#include "catena/model/form_blocks.h"
#include "catena/model/stretching_form.h"
