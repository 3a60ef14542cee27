// Work in a process of its own, which can be ended when it takes too long: no step of a simulation looks at a clock.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace catena::cli {

enum class Ended { done, out_of_time, crashed };

// Runs `work(out)` there, and here `take(line)` for every line it writes to `out`, without its end, as it comes. Ends it after `seconds` of wall-clock
// time. No other threads may be at work here.
Ended in_child(double seconds, const std::function<void(std::FILE*)>& work,
               const std::function<void(const std::string&)>& take);

}  // namespace catena::cli
