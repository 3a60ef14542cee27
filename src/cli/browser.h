// Chromium without a window, told what to do through its DevTools protocol (over two pipes), and one page in it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "process.h"

namespace catena::cli {

class Browser {
 public:
  // Starts `program` with its own profile in `folder`, where its messages go to browser.log. Throws std::runtime_error.
  Browser(const std::string& program, const std::string& folder, int width, int height);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open(const std::string& address);
  // The value of a JavaScript expression in the page. Throws std::runtime_error with what the page says when it throws.
  nlohmann::json evaluate(const std::string& expression);

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters);
  std::string folder_, session_;
  Process process_;
  int last_ = 0;  // number of the last command
};

}  // namespace catena::cli
