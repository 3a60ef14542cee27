// Any bytes as an HDF5 recording: refused with an InputError, or a table whose columns have one length.
#include <cstdint>
#include <cstdlib>

#include "catena/model/error.h"
#include "catena/record/formats.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const catena::fuzz::MemoryFile file({data, size});
  try {
    const catena::RecordedTable table = catena::read_hdf5(file.path());
    for (const auto& column : table.columns)
      if (column.size() != table.rows()) std::abort();
    if (table.contacts.size() != table.rows()) std::abort();
  } catch (const catena::InputError&) {
  }
  return 0;
}
