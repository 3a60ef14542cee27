#pragma once

#include <string>

namespace catena {

// The folder of the checkout, for tests that read examples/ and tests/data. One source file knows it, so that the others
// compile to the same objects wherever the checkout lies.
std::string source_dir();

}  // namespace catena
