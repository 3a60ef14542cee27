// What is thrown at the door: wrong files, flags and models. Past the door nothing throws.
#pragma once

#include <stdexcept>
#include <string>

#include "catena/model/ids.h"

namespace catena {

// The input is wrong. The message says where (file:line:column when it came from a file), what, and what would be right.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A joint of a model that is well formed but cannot be: it cannot be closed, or depends on itself.
class JointError : public InputError {
 public:
  JointError(JointId which, const std::string& what) : InputError(what), joint(which) {}
  JointId joint;
};

}  // namespace catena
