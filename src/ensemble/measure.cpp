#include "catena/ensemble/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "catena/math/elementary.h"
#include "catena/model/error.h"
#include "catena/model/model.h"

namespace catena {
namespace {

enum Reduction { kMax, kMin, kMean, kRms, kRange, kFirst, kFinal, kIntegral };
constexpr std::array<const char*, 8> kReductions{"max", "min", "mean", "rms", "range", "first", "final", "integral"};

struct Function {
  const char* name;
  int arguments;
  double (*call)(double, double);
};
constexpr std::array<Function, 14> kFunctions{{
    {"+", 2, [](double a, double b) { return a + b; }},
    {"-", 2, [](double a, double b) { return a - b; }},
    {"*", 2, [](double a, double b) { return a * b; }},
    {"/", 2, [](double a, double b) { return a / b; }},
    {"negative", 1, [](double a, double) { return -a; }},
    {"abs", 1, [](double a, double) { return std::abs(a); }},
    {"sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    {"log", 1, [](double a, double) { return portable::log(a); }},
    {"exp", 1, [](double a, double) { return portable::exp(a); }},
    {"sin", 1, [](double a, double) { return portable::sin(a); }},
    {"cos", 1, [](double a, double) { return portable::cos(a); }},
    {"atan2", 2, [](double a, double b) { return portable::atan2(a, b); }},
    {"hypot", 2, [](double a, double b) { return std::hypot(a, b); }},
    {"pow", 2, [](double a, double b) { return portable::pow(a, b); }},
}};

template <class List, class Name>
int index_of(const List& list, const std::string& name, Name&& name_in) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (name == name_in(list[i])) return static_cast<int>(i);
  return -1;
}
int function_index(const std::string& name) {
  return index_of(kFunctions, name, [](const Function& f) { return f.name; });
}
int reduction_index(const std::string& name) {
  return index_of(kReductions, name, [](const char* each) { return each; });
}

constexpr int kDeepest = 100;

}  // namespace

// sum := product (("+" | "-") product)*; product := factor (("*" | "/") factor)*; factor := "-" factor | number | name | name "(" … ")" |
// "(" sum ")"
class MeasureParser {
 public:
  MeasureParser(Measure& measure, const std::vector<std::string>& columns)
      : measure_(measure), text_(measure.text_), columns_(columns) {}

  void parse() {
    measure_.root_ = sum();
    skip();
    if (at_ != text_.size()) fail("an operator or the end is expected");
    if (node(measure_.root_).sampled)
      throw InputError(fmt::format(
          "measure '{}': it has a value at every sample; say which one is meant, as in max({})", text_, text_));
  }

 private:
  using Kind = Measure::Kind;
  using Node = Measure::Node;

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("measure '{}', character {}: {}", text_, at_ + 1, what));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  const Node& node(int i) const { return measure_.nodes_[static_cast<std::size_t>(i)]; }
  int add(Node n) {
    if (n.kind == Kind::function) n.sampled = node(n.a).sampled || (n.b >= 0 && node(n.b).sampled);
    if (n.kind == Kind::function) n.reduces = node(n.a).reduces || (n.b >= 0 && node(n.b).reduces);
    if (n.kind == Kind::column) n.sampled = true;
    if (n.kind == Kind::reduction) n.reduces = true;
    measure_.nodes_.push_back(n);
    return static_cast<int>(measure_.nodes_.size()) - 1;
  }
  int call(const char* name, int a, int b = -1) {
    return add({.kind = Kind::function, .which = function_index(name), .a = a, .b = b});
  }

  int sum() {
    if (++depth_ > kDeepest) fail("this is nested too deeply");
    int left = product();
    for (;;) {
      if (take('+')) left = call("+", left, product());
      else if (take('-')) left = call("-", left, product());
      else break;
    }
    --depth_;
    return left;
  }
  int product() {
    int left = factor();
    for (;;) {
      if (take('*')) left = call("*", left, factor());
      else if (take('/')) left = call("/", left, factor());
      else return left;
    }
  }
  int factor() {
    if (++depth_ > kDeepest) fail("this is nested too deeply");
    const int out = simple();
    --depth_;
    return out;
  }
  int simple() {
    if (take('-')) return call("negative", factor());
    if (take('(')) {
      const int inside = sum();
      if (!take(')')) fail("')' is expected");
      return inside;
    }
    skip();
    if (at_ == text_.size()) fail("a number, a column or a function is expected");
    if (text_[at_] == '.' || std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    const bool quoted = text_[at_] == '"';
    const std::string word = quoted ? quoted_name() : name();
    if (!quoted && take('(')) return arguments(word);
    return column(word);
  }
  int number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("this is no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return add({.number = value});
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  std::string_view("_.[]").find(text_[at_]) != std::string_view::npos))
      ++at_;
    if (at_ == begin) fail("a number, a column or a function is expected");
    return text_.substr(begin, at_ - begin);
  }
  std::string quoted_name() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string::npos) fail("the name has no closing '\"'");
    std::string out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return out;
  }
  int column(const std::string& name) {
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    if (found != columns_.end())
      return add({.kind = Kind::column, .which = static_cast<int>(found - columns_.begin())});
    const std::string near = nearest(name, columns_);
    fail(fmt::format("there is no column '{}'{}", name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  int arguments(const std::string& name) {
    const int a = sum();
    const int b = take(',') ? sum() : -1;
    if (!take(')')) fail("')' is expected");
    if (const int which = reduction_index(name); which >= 0) {
      if (b >= 0) fail(fmt::format("{} takes one argument", name));
      if (node(a).reduces) fail(fmt::format("{} is of samples and cannot have a number of the whole run inside", name));
      if (!node(a).sampled) fail(fmt::format("{} is of a column, or of an expression with one", name));
      return add({.kind = Kind::reduction, .which = which, .a = a});
    }
    const int which = function_index(name);
    if (which < 0)
      fail(
          fmt::format("there is no function '{}'; over a run there are max, min, mean, rms, range, first, final, "
                      "integral, of numbers abs, sqrt, log, exp, sin, cos, atan2, hypot, pow",
                      name));
    if (kFunctions[static_cast<std::size_t>(which)].arguments != (b >= 0 ? 2 : 1))
      fail(fmt::format("{} takes {} argument(s)", name, kFunctions[static_cast<std::size_t>(which)].arguments));
    return add({.kind = Kind::function, .which = which, .a = a, .b = b});
  }

  Measure& measure_;
  const std::string& text_;
  const std::vector<std::string>& columns_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Measure::Measure(std::string text, const std::vector<std::string>& columns) : text_(std::move(text)) {
  MeasureParser(*this, columns).parse();
  gathered_.resize(nodes_.size());
}

void Measure::clear() { std::fill(gathered_.begin(), gathered_.end(), Gathered{}); }

void Measure::take(std::span<const double> row) {
  const double time = row[0];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.kind != Kind::reduction) continue;
    Gathered& g = gathered_[i];
    const double x = evaluate(node.a, row);
    if (g.count == 0) g.first = g.least = g.most = x;
    g.least = std::min(g.least, x);
    g.most = std::max(g.most, x);
    if (node.which == kIntegral) g.sum += g.count == 0 ? 0 : 0.5 * (x + g.last) * (time - g.last_time);
    else g.sum += node.which == kRms ? x * x : x;
    g.last = x;
    g.last_time = time;
    ++g.count;
  }
}

double Measure::reduced(const Node& node, const Gathered& g) const {
  if (g.count == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(g.count);
  switch (node.which) {
    case kMax: return g.most;
    case kMin: return g.least;
    case kMean: return g.sum / n;
    case kRms: return std::sqrt(g.sum / n);
    case kRange: return g.most - g.least;
    case kFirst: return g.first;
    case kFinal: return g.last;
    default: return g.sum;
  }
}

double Measure::evaluate(int index, std::span<const double> row) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  switch (node.kind) {
    case Kind::number: return node.number;
    case Kind::column: return row[static_cast<std::size_t>(node.which)];
    case Kind::reduction: return reduced(node, gathered_[static_cast<std::size_t>(index)]);
    case Kind::function: break;
  }
  return kFunctions[static_cast<std::size_t>(node.which)].call(evaluate(node.a, row),
                                                               node.b >= 0 ? evaluate(node.b, row) : 0);
}

double Measure::value() const { return evaluate(root_, {}); }

}  // namespace catena
