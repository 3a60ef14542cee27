#include "catena/scene/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "catena/math/elementary.h"
#include "catena/model/model.h"
#include "catena/scene/fields.h"

namespace catena {
namespace {

struct Function {
  std::string_view name;
  std::size_t arguments;
  double (*value)(double, double);
};

constexpr std::array kFunctions = {
    Function{"sin", 1, [](double x, double) { return portable::sin(x); }},
    Function{"cos", 1, [](double x, double) { return portable::cos(x); }},
    Function{"tan", 1, [](double x, double) { return portable::tan(x); }},
    Function{"asin", 1, [](double x, double) { return portable::asin(x); }},
    Function{"acos", 1, [](double x, double) { return portable::acos(x); }},
    Function{"atan", 1, [](double x, double) { return portable::atan(x); }},
    Function{"atan2", 2, [](double y, double x) { return portable::atan2(y, x); }},
    Function{"sqrt", 1, [](double x, double) { return std::sqrt(x); }},
    Function{"exp", 1, [](double x, double) { return portable::exp(x); }},
    Function{"log", 1, [](double x, double) { return portable::log(x); }},
    Function{"abs", 1, [](double x, double) { return std::abs(x); }},
    Function{"floor", 1, [](double x, double) { return std::floor(x); }},
    Function{"min", 2, [](double x, double y) { return std::min(x, y); }},
    Function{"max", 2, [](double x, double y) { return std::max(x, y); }},
};

constexpr int kDeepest = 64;

// sum = product (('+'|'-') product)*;  product = signed (('*'|'/') signed)*;  signed = '-' signed | power;  power = primary ['^' signed]
class Expression {
 public:
  Expression(std::string_view text, const Parameters& parameters) : rest_(text), parameters_(parameters) {}

  double value() {
    const double out = sum();
    if (peek() != 0) refuse(fmt::format("'{}' is left over", rest_));
    if (!std::isfinite(out)) refuse("comes to no finite number");
    return out;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw std::invalid_argument(why); }

  char peek() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  double sum() {
    if (++depth_ > kDeepest) refuse("is nested too deep");
    double out = product();
    while (true) {
      if (take('+')) out += product();
      else if (take('-')) out -= product();
      else break;
    }
    --depth_;
    return out;
  }
  double product() {
    double out = with_sign();
    while (true) {
      if (take('*')) out *= with_sign();
      else if (take('/')) out /= with_sign();
      else return out;
    }
  }
  double with_sign() {
    bool negative = false;
    while (true) {
      if (take('-')) negative = !negative;
      else if (!take('+')) break;
    }
    const double out = power();
    return negative ? -out : out;
  }
  double power() {
    const double base = primary();
    if (!take('^')) return base;
    if (++depth_ > kDeepest) refuse("is nested too deep");
    const double out = portable::pow(base, with_sign());
    --depth_;
    return out;
  }
  double primary() {
    if (take('(')) {
      const double out = sum();
      if (!take(')')) refuse("a ')' is missing");
      return out;
    }
    const char first = peek();
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(first)) || first == '_') return named();
    if (first == 0) refuse("ends where a number is expected");
    refuse(fmt::format("'{}' where a number is expected", first));
  }
  double number() {
    double out = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc{}) refuse(fmt::format("'{}' is not a number", rest_));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return out;
  }
  double named() {
    std::size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_'))
      ++length;
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (peek() == '(') return call(name);
    if (const auto found = parameters_.find(name); found != parameters_.end()) return found->second;
    if (name == "pi") return std::numbers::pi;
    std::vector<std::string> known{"pi"};
    for (const auto& [key, number] : parameters_) known.push_back(key);
    refuse(unknown("parameter", name, known));
  }
  double call(std::string_view name) {
    const auto* found =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == name; });
    if (found == kFunctions.end()) refuse(fmt::format("there is no function '{}'", name));
    take('(');
    std::array<double, 2> arguments{};
    for (std::size_t k = 0; k < found->arguments; ++k) {
      if (k > 0 && !take(',')) refuse(fmt::format("{} takes {} numbers", name, found->arguments));
      arguments[k] = sum();
    }
    if (!take(')'))
      refuse(fmt::format("{} takes {} number{}", name, found->arguments, found->arguments > 1 ? "s" : ""));
    return found->value(arguments[0], arguments[1]);
  }

  std::string_view rest_;
  const Parameters& parameters_;
  int depth_ = 0;
};

double evaluated(const Value& value, const Parameters& parameters) {
  try {
    return evaluate_expression(std::string_view(value.text).substr(1), parameters);
  } catch (const std::invalid_argument& error) {
    fail(value.at, fmt::format("'{}': {}", value.text, error.what()));
  }
}

bool is_expression(const Value& value) { return value.is_scalar() && value.text.starts_with('='); }

double parameter(const Key& key, const Value& value, const Parameters& above) {
  if (is_expression(value)) return evaluated(value, above);
  try {
    return parse_quantity_of_any_kind(read_text(value, key.text));
  } catch (const std::invalid_argument& error) {
    fail(value.at, fmt::format("parameter '{}': {}", key.text, error.what()));
  }
}

bool is_word(std::string_view name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

void replace(Value& value, const Parameters& parameters) {
  if (is_expression(value)) value.text = fmt::format("{:.17g}", evaluated(value, parameters));
  for (Value& item : value.items) replace(item, parameters);
}

}  // namespace

double evaluate_expression(std::string_view text, const Parameters& parameters) {
  return Expression(text, parameters).value();
}

void resolve_parameters(Value& root, const Value* given) {
  Parameters parameters;
  Value own;
  if (const auto found =
          std::find_if(root.keys.begin(), root.keys.end(), [](const Key& key) { return key.text == "parameters"; });
      found != root.keys.end()) {
    const auto index = found - root.keys.begin();
    own = std::move(root.items[static_cast<std::size_t>(index)]);
    root.items.erase(root.items.begin() + index);
    root.keys.erase(found);
  }
  if (!own.is_map() && !own.is_null())
    fail(own.at, fmt::format("parameters: a map from names to numbers is expected, not {}", own.describe()));
  if (given != nullptr && !given->is_map())
    fail(given->at, fmt::format("parameters: a map from names to numbers is expected, not {}", given->describe()));
  for (std::size_t i = 0; given != nullptr && i < given->keys.size(); ++i)
    if (own.find(given->keys[i].text) == nullptr) {
      std::vector<std::string> known;
      for (const Key& key : own.keys) known.push_back(key.text);
      fail(given->keys[i].at, unknown("parameter", given->keys[i].text, known));
    }
  for (std::size_t i = 0; i < own.keys.size(); ++i) {
    const Key& key = own.keys[i];
    if (!is_word(key.text))
      fail(key.at, fmt::format("parameter '{}': a name of letters, digits and _ is expected", key.text));
    const Value* other = given != nullptr ? given->find(key.text) : nullptr;
    parameters[key.text] = parameter(key, other != nullptr ? *other : own.items[i], parameters);
  }
  for (Value& item : root.items) replace(item, parameters);
}

}  // namespace catena
