// Pictures one after another as a moving picture, made by ffmpeg.
#pragma once

#include <string>
#include <string_view>

#include "process.h"

namespace catena::cli {

enum class FilmKind { mp4, webm, gif };

class Film {
 public:
  // `ffmpeg` is the program; what it says goes to `log`. The file is overwritten.
  Film(const std::string& ffmpeg, FilmKind kind, const std::string& file, double fps, const std::string& log);
  void add(std::string_view png);  // throws std::runtime_error with ffmpeg's reason when it has given up
  void finish();                   // the file is complete; throws the same

 private:
  [[noreturn]] void give_up() const;
  std::string log_;
  Process process_;
};

}  // namespace catena::cli
