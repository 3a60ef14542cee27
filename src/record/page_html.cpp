#include "catena/record/page.h"

namespace catena {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else out += c;
  }
  return out;
}

}  // namespace

std::string page_html(std::string_view title, std::string_view run) {
  std::string html;
  html.reserve(run.size() + page_script().size() + page_style().size() + 1024);
  html += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover\">\n";
  html += "<link rel=\"icon\" href=\"data:,\">\n<title>" + escaped(title) + "</title>\n<style>";
  html += page_style();
  html += "</style>\n</head>\n<body>\n<div id=\"catena\"></div>\n";
  if (!run.empty()) {
    html += R"(<script id="catena-run" type="application/octet-stream">)";
    html += run;
    html += "</script>\n";
  }
  html += "<script>";
  html += page_script();
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace catena
