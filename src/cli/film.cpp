#include "film.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace catena::cli {
namespace {

// The page draws in sRGB, whose primaries are those of BT.709; a player is told so. `bitexact` leaves out the version of the encoder.
constexpr const char* kToVideo = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";

std::vector<std::string> encoder(FilmKind kind) {
  switch (kind) {
    case FilmKind::mp4: return {"-vf", kToVideo, "-c:v", "libx264", "-crf", "18", "-movflags", "+faststart"};
    case FilmKind::webm: return {"-vf", kToVideo, "-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-row-mt", "1"};
    case FilmKind::gif:
      return {"-filter_complex",
              "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"};
  }
  return {};
}

std::vector<std::string> command_line(const std::string& ffmpeg, FilmKind kind, const std::string& file, double fps) {
  std::vector<std::string> words{
      ffmpeg, "-nostdin", "-y", "-v",    "error", "-f", "image2pipe", "-framerate", fmt::format("{}", fps),
      "-c:v", "png",      "-i", "pipe:3"};
  for (const std::string& word : encoder(kind)) words.push_back(word);
  if (kind != FilmKind::gif)
    for (const char* word : {"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"})
      words.emplace_back(word);
  for (const char* word : {"-fflags", "+bitexact", "-flags:v", "+bitexact"}) words.emplace_back(word);
  words.push_back("file:" + file);
  return words;
}

}  // namespace

Film::Film(const std::string& ffmpeg, FilmKind kind, const std::string& file, double fps, const std::string& log)
    : log_(log), process_(command_line(ffmpeg, kind, file, fps), 3, -1, log) {}

void Film::give_up() const {
  std::ifstream in(log_);
  std::string line, last = "it does not say why";
  while (std::getline(in, line))
    if (!line.empty()) last = line;
  throw std::runtime_error(fmt::format("ffmpeg has given up: {}", last));
}

void Film::add(std::string_view png) {
  if (!process_.write(png)) give_up();
}

void Film::finish() {
  if (process_.finish() != 0) give_up();
}

}  // namespace catena::cli
