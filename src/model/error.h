// What is thrown at the door: wrong files, flags and models. Past the door nothing throws.
#pragma once

#include <stdexcept>
#include <string>

namespace catena {

// The input is wrong. The message says where (file:line:column when it came from a file), what, and what would be right.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace catena
