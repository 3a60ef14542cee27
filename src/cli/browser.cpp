#include "browser.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace catena::cli {
namespace {

using nlohmann::json;

constexpr double kPatience = 300;  // s for one answer: a large scene drawn in software takes a while

std::vector<std::string> command_line(const std::string& program, const std::string& folder, int width, int height) {
  std::vector<std::string> words{program,
                                 "--headless",
                                 "--remote-debugging-pipe",
                                 "--user-data-dir=" + folder + "/profile",
                                 fmt::format("--window-size={},{}", width, height),
                                 "--no-first-run",
                                 "--disable-extensions",
                                 "--disable-background-networking",
                                 "--disable-dev-shm-usage",
                                 "--hide-scrollbars",
                                 "--force-device-scale-factor=1",
                                 "--force-color-profile=srgb",
                                 "--use-gl=angle",
                                 "--use-angle=swiftshader",
                                 "--enable-unsafe-swiftshader",
                                 "--ignore-gpu-blocklist"};
  if (geteuid() == 0) words.emplace_back("--no-sandbox");  // Chromium's sandbox does not work for root
  return words;
}

std::string last_line_of(const std::string& file) {
  std::ifstream in(file);
  std::string line, last;
  while (std::getline(in, line))
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

Browser::Browser(const std::string& program, const std::string& folder, int width, int height)
    : folder_(folder), process_(command_line(program, folder, width, height), 3, 4, folder + "/browser.log") {
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ = call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}}).at("sessionId");
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

Browser::~Browser() {
  const json close{{"id", ++last_}, {"method", "Browser.close"}};
  std::string rest;
  if (!process_.write(close.dump() + '\0')) return;
  while (process_.read_to('\0', 5, rest)) {
  }
}

json Browser::call(const std::string& method, const json& parameters) {
  json message{{"id", ++last_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  std::string text;
  bool well = process_.write(message.dump() + '\0');
  while (well && (well = process_.read_to('\0', kPatience, text))) {
    const json answer = json::parse(text);
    if (answer.value("id", 0) != last_) continue;  // an event
    if (answer.contains("error")) throw std::runtime_error(fmt::format("Chromium: {}", answer["error"].dump()));
    return answer.at("result");
  }
  const std::string said = last_line_of(folder_ + "/browser.log");
  throw std::runtime_error(
      fmt::format("Chromium does not answer to {}{}", method, said.empty() ? "" : "; it said: " + said));
}

void Browser::open(const std::string& address) {
  const json result = call("Page.navigate", {{"url", address}});
  if (result.contains("errorText"))
    throw std::runtime_error(
        fmt::format("Chromium cannot open {}: {}", address, result["errorText"].get<std::string>()));
}

json Browser::evaluate(const std::string& expression) {
  const json result =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (result.contains("exceptionDetails")) {
    const json& details = result["exceptionDetails"];
    const json what = details.value("exception", json::object());
    throw std::runtime_error(fmt::format("the page: {}", what.value("description", details.value("text", "error"))));
  }
  return result.at("result").value("value", json());
}

}  // namespace catena::cli
