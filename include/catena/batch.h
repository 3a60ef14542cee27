// Many worlds of one model, stepped side by side: catena::Batch.
#pragma once

#include "catena/batch/batch.h"
#include "catena/batch/parameter.h"
#include "catena/catena.h"
