// The page that shows a run (viewer/), carried inside the program and written around what it is to show.
#pragma once

#include <string>
#include <string_view>

namespace catena {

std::string_view page_script();  // JavaScript, minified; bytes made by viewer/build.mjs
std::string_view page_style();

// A whole HTML page that needs no other file. `run` is what write_replay() made; empty for the page of a live run, which asks the
// address it came from.
std::string page_html(std::string_view title, std::string_view run);

}  // namespace catena
