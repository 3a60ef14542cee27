// Any bytes as a CSV recording: refused with an InputError, or columns that can be drawn in every way `catena plot` has.
#include <cstdint>

#include "catena/model/error.h"
#include "catena/record/chart.h"
#include "catena/record/formats.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const catena::fuzz::MemoryFile file({data, size});
  try {
    const catena::RecordedTable table = catena::read_csv(file.path());
    const std::vector<double>&x = table.columns.front(), &y = table.columns.back();
    catena::Figure figure;
    figure.panels.resize(3);
    for (catena::Panel& panel : figure.panels) panel.series.push_back({table.names.back(), x, y, "", false, false});
    figure.panels[1].log_x = figure.panels[1].log_y = true;
    figure.panels[2].equal_aspect = true;
    catena::to_svg(figure);
  } catch (const catena::InputError&) {
  }
  return 0;
}
