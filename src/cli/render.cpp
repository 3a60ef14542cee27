// catena render: a run as a picture, a moving picture or a glTF file. Chromium draws the page without a window, ffmpeg makes the film.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "browser.h"
#include "catena/record/gltf.h"
#include "catena/record/packing.h"
#include "catena/record/replay.h"
#include "commands.h"
#include "common.h"
#include "film.h"
#include "interrupt.h"
#include "progress.h"
#include "recorded.h"
#include "run.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

struct RenderFlags {
  SceneFlags scene;
  MethodFlags method;
  std::string out, of, size = "1280x720", camera, theme = "dark";
  std::vector<std::string> focus;
  double duration = -1, fps = 0, from = -1, to = -1, time = -1, speed = 1;
};

bool is_page(const std::string& file) { return file.ends_with(".html") || file.ends_with(".htm"); }

enum class Output { png, film, glb };

Output output_of(const std::string& file, FilmKind& kind) {
  if (file.ends_with(".png")) return Output::png;
  if (file.ends_with(".glb")) return Output::glb;
  if (file.ends_with(".mp4")) kind = FilmKind::mp4;
  else if (file.ends_with(".webm")) kind = FilmKind::webm;
  else if (file.ends_with(".gif")) kind = FilmKind::gif;
  else throw InputError(fmt::format("--out {}: a run is rendered as .mp4, .webm, .gif, .png or .glb", file));
  return Output::film;
}

// "1280x720", "30,20": two numbers.
template <class Number>
std::array<Number, 2> two_numbers(const std::string& text, char between, const std::string& wrong) {
  std::array<Number, 2> out{};
  const char *begin = text.data(), *end = begin + text.size();
  const auto first = std::from_chars(begin, end, out[0]);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != between) throw InputError(wrong);
  const auto second = std::from_chars(first.ptr + 1, end, out[1]);
  if (second.ec != std::errc{} || second.ptr != end) throw InputError(wrong);
  return out;
}

std::array<int, 2> size_of(const RenderFlags& flags, bool film) {
  const std::array<int, 2> size = two_numbers<int>(
      flags.size, 'x', fmt::format("--size {}: takes WIDTHxHEIGHT in pixels, such as 1280x720", flags.size));
  for (const int side : size) {
    if (side < 16 || side > 8192)
      throw InputError(fmt::format("--size {}: pictures have 16 to 8192 pixels a side", flags.size));
    if (film && side % 2 != 0)
      throw InputError(fmt::format("--size {}: films have an even number of pixels a side", flags.size));
  }
  return size;
}

// The page's argument for the camera.
std::string angles_of(const RenderFlags& flags) {
  if (flags.camera.empty()) return "null";
  const auto [azimuth, elevation] = two_numbers<double>(
      flags.camera, ',',
      fmt::format(
          "--camera {}: takes AZIMUTH,ELEVATION in degrees, such as 30,20: to the right from the front, and above",
          flags.camera));
  if (!(std::abs(azimuth) <= 360) || !(std::abs(elevation) < 90))
    throw InputError(
        fmt::format("--camera {}: the azimuth is within 360 degrees, the elevation less than 90", flags.camera));
  return fmt::format("[{},{}]", azimuth, elevation);
}

// A folder that goes when this goes.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "catena-render-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string need_program(const char* variable, std::vector<std::string> names, const char* cure) {
  if (const char* given = std::getenv(variable); given != nullptr && *given != 0) names = {given};
  std::string found = find_program(names);
  if (found.empty())
    throw std::runtime_error(fmt::format("render needs {}, and it is not here: {}; ${} may name the program",
                                         names.front(), cure, variable));
  return found;
}

void write_file(const std::string& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  if (!out.flush()) throw InputError(fmt::format("{}: cannot be written: {}", file, std::strerror(errno)));
}

// Runs the scene into a recording that `open` makes. The exit code of a run that did not reach its end, 0 of one that did.
template <class Open>
int simulate_into(const RenderFlags& flags, const Open& open) {
  Scene scene = load_scene(flags.scene);
  override_settings(flags.method, scene.settings);
  if (flags.duration >= 0) scene.settings.duration = flags.duration;
  check_times(scene.settings);
  const double dt = std::max(flags.speed / (flags.fps > 0 ? flags.fps : 60), scene.settings.step);
  const double count = std::floor(scene.settings.duration / dt * (1 + 1e-12));
  if (count > 1e6) throw InputError(fmt::format("{:.3g} samples are too many to render: give --duration", count));
  RunPlan plan{.times = {{}, dt, static_cast<std::size_t>(count) + 1}, .quiet = flags.scene.quiet};
  Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.scene.quiet);
  plan.recordings.push_back(open(simulation));
  const Summary summary = run(simulation, plan);
  if (summary.outcome != Outcome::done)
    fmt::print(stderr, "the run ended at {:.6g} s: {}\n", simulation.time(), summary.message);
  return summary.outcome == Outcome::interrupted ? exit_code(summary) : kDone;
}

int render_glb(const RenderFlags& flags) {
  const std::string& file = flags.scene.file;
  if (is_page(file))
    throw InputError(
        fmt::format("{}: a page holds rounded poses; a .glb is made of a recording (.h5, .csv) or a scene", file));
  if (is_recording(file)) {
    const RecordedRun recorded = read_run(file, flags.of, flags.scene.sets);
    write_file(flags.out, write_glb(recorded.scene.model, recorded.table));
    return kDone;
  }
  return simulate_into(flags,
                       [&](const Simulation& s) { return open_glb(flags.out, s.model(), column_names(s.model())); });
}

// The page to draw: the one given, or one in the scratch folder.
std::string page_of(const RenderFlags& flags, const ScratchFolder& folder, int& code) {
  const std::string& file = flags.scene.file;
  if (is_page(file)) {
    if (!fs::exists(file)) throw InputError(fmt::format("{}: there is no such file", file));
    return file;
  }
  std::string page = folder.file("run.html");
  if (is_recording(file)) {
    const RecordedRun recorded = read_run(file, flags.of, flags.scene.sets);
    write_file(page, replay_page(recorded.scene.model, recorded.scene.settings, recorded.table));
  } else {
    code = simulate_into(flags, [&](const Simulation& s) {
      return open_replay(page, s.model(), s.settings(), column_names(s.model()));
    });
  }
  return page;
}

std::string address_of(const std::string& file) {
  std::string out = "file://";
  for (const char c : fs::absolute(file).string()) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/._-~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out + "#still";
}

// Opens the page and waits until it can draw. The first and the last time of its run.
std::array<double, 2> open_page(Browser& browser, const std::string& file, const RenderFlags& flags) {
  browser.open(address_of(file));
  constexpr const char* kReady = R"(new Promise((done) => {
    const look = () => {
      const sorry = document.querySelector('.sorry');
      if (sorry) done(sorry.textContent);
      else if (window.catena && !(window.catena instanceof Element)) done(typeof window.catena.picture === 'function' ? '' : 'old');
      else setTimeout(look, 20);
    };
    look();
  }))";
  const auto trouble = browser.evaluate(kReady).get<std::string>();
  if (trouble == "old")
    throw InputError(
        fmt::format("{}: this page is of an earlier catena; render its recording or write it anew", flags.scene.file));
  if (!trouble.empty()) throw std::runtime_error(trouble);
  const nlohmann::json times = browser.evaluate(fmt::format(
      "(window.catena.setTheme('{}'), [window.catena.report.begin, window.catena.report.end])", flags.theme));
  return {times[0].get<double>(), times[1].get<double>()};
}

std::string picture(Browser& browser, double time, const std::array<int, 2>& size, const RenderFlags& flags,
                    bool still) {
  const auto address = browser
                           .evaluate(fmt::format("window.catena.picture({:.17g},{},{},{},{},{})", time, size[0],
                                                 size[1], angles_of(flags), nlohmann::json(flags.focus).dump(), still))
                           .get<std::string>();
  return from_base64(std::string_view(address).substr(address.find(',') + 1));
}

int film(Browser& browser, Film& film, const RenderFlags& flags, double fps, const std::array<double, 2>& times,
         const std::array<int, 2>& size) {
  const double begin = flags.from >= 0 ? flags.from : times[0], end = flags.to >= 0 ? flags.to : times[1];
  if (!(end > begin) || begin >= times[1])
    throw InputError(fmt::format("--from and --to: the run lasts from {:.6g} to {:.6g} s", times[0], times[1]));
  const auto frames = static_cast<long>(std::floor((end - begin) * fps / flags.speed * (1 + 1e-12))) + 1;
  Progress progress(static_cast<double>(frames), flags.scene.quiet, Progress::Counts::members);
  note_signals();
  for (long i = 0; i < frames && noted_signal() == 0; ++i) {
    film.add(picture(browser, begin + static_cast<double>(i) * flags.speed / fps, size, flags, false));
    progress.show(static_cast<double>(i + 1));
  }
  film.finish();
  return noted_signal() == 0 ? kDone : 128 + noted_signal();
}

int render(const RenderFlags& flags) {
  FilmKind kind{};
  const Output output = output_of(flags.out, kind);
  if (flags.theme != "dark" && flags.theme != "light")
    throw InputError(fmt::format("--theme {}: dark or light", flags.theme));
  if (output == Output::glb) return render_glb(flags);
  const std::array<int, 2> size = size_of(flags, output == Output::film);
  angles_of(flags);  // what is wrong with it is said before the work
  const std::string chromium = need_program("CHROMIUM", {"chromium", "chromium-browser", "google-chrome"},
                                            "install chromium: apt install chromium");
  const std::string ffmpeg =
      output == Output::film ? need_program("FFMPEG", {"ffmpeg"}, "install ffmpeg: apt install ffmpeg") : "";
  std::signal(SIGPIPE, SIG_IGN);  // a program that has gone is a failed write
  const ScratchFolder folder;
  int code = kDone;
  const std::string page = page_of(flags, folder, code);
  if (code != kDone) return code;
  Browser browser(chromium, folder.file(""), size[0], size[1]);
  const std::array<double, 2> times = open_page(browser, page, flags);
  if (output == Output::png) {
    write_file(flags.out, picture(browser, flags.time >= 0 ? flags.time : times[0], size, flags, true));
    return kDone;
  }
  const double fps = flags.fps > 0 ? flags.fps : kind == FilmKind::gif ? 20 : 30;
  write_file(flags.out, "");  // a path that cannot be written is found before the work
  Film made(ffmpeg, kind, flags.out, fps, folder.file("ffmpeg.log"));
  return film(browser, made, flags, fps, times, size);
}

}  // namespace

Command add_render(CLI::App& app) {
  auto flags = std::make_shared<RenderFlags>();
  CLI::App* command = app.add_subcommand("render", "Draw a run as a film, a picture or a glTF file");
  add_scene_flags(*command, flags->scene);
  command->get_option("scene")->description("Recording (.h5, .csv), page (.html) or scene, which is then run");
  add_method_flags(*command, flags->method);
  add_duration_flag(*command, flags->duration);
  command->add_option("--out", flags->out, "FILE.mp4, .webm, .gif, .png or .glb")->required();
  command->add_option("--size", flags->size, "WIDTHxHEIGHT in pixels; default 1280x720");
  add_number(*command, "--fps", flags->fps, "Pictures a second; default 30, of a GIF 20", Least::more_than, 0, "30");
  add_number(*command, "--from", flags->from, "Time of the first picture, s; default the start", Least::at_least, 0,
             "1.5");
  add_number(*command, "--to", flags->to, "Time of the last picture, s; default the end", Least::more_than, 0, "4");
  add_number(*command, "--time", flags->time, "Time of a .png, s; default the start", Least::at_least, 0, "2");
  add_number(*command, "--speed", flags->speed, "Seconds of the run in a second of the film; default 1",
             Least::more_than, 0, "0.25");
  command->add_option("--camera", flags->camera,
                      "AZIMUTH,ELEVATION in degrees: to the right from the front, and above; default the page's");
  command->add_option("--focus", flags->focus, "BODY,BODY…: fill the picture with these; default all that move")
      ->delimiter(',');
  command->add_option("--theme", flags->theme, "dark or light");
  command->add_option("--scene", flags->of, "The scene of a recording that does not carry it (CSV)");
  command->footer(R"(Examples:
  catena render run.h5 --out run.mp4                           the whole run, 30 pictures a second
  catena render arm.yaml --duration 3 --out arm.gif --size 480x320
  catena render run.html --time 2 --camera 90,10 --out side.png
  catena render run.h5 --focus hand,box --out grip.mp4         the camera stays with two bodies
  catena render run.h5 --out run.glb                           for Blender, with the motion
Chromium draws (apt install chromium), ffmpeg makes films (apt install ffmpeg); a .glb needs neither.)");
  return [flags] { return render(*flags); };
}

}  // namespace catena::cli
