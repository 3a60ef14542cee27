#include "catena/solve/mixing.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace catena {

template <class Number>
Mixing<Number>::Mixing(std::size_t numbers, std::size_t rows) : b_(rows), g_(numbers) {
  for (auto& db : db_) db.resize(rows);
  for (auto& dg : dg_) dg.resize(numbers);
}

template <class Number>
void Mixing<Number>::advance(std::span<const double> b, std::span<const Number> y, std::span<Number> dv) {
  for (std::size_t i = 0; i < dv.size(); ++i) dv[i] += y[i];
  remember(b, dv);
  const int count = std::min(calls_ - 1, kDepth);
  if (count == 0) return;
  const std::array<double, kDepth> gamma = weights(b, count);
  for (int k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (std::size_t i = 0; i < dv.size(); ++i) dv[i] += -gamma[at] * dg_[at][i];
  }
}

template <class Number>
void Mixing<Number>::remember(std::span<const double> b, std::span<const Number> g) {
  if (calls_ > 0) {
    const auto at = static_cast<std::size_t>((calls_ - 1) % kDepth);
    for (std::size_t i = 0; i < b.size(); ++i) db_[at][i] = b[i] - b_[i];
    for (std::size_t i = 0; i < g.size(); ++i) dg_[at][i] = g[i] + -1.0 * g_[i];
  }
  std::copy(b.begin(), b.end(), b_.begin());
  std::copy(g.begin(), g.end(), g_.begin());
  ++calls_;
}

// Normal equations of the least-squares problem, each change scaled to unit length. Errors that are nearly the same twice are told
// apart no further than 1e-7 of their size.
template <class Number>
std::array<double, Mixing<Number>::kDepth> Mixing<Number>::weights(std::span<const double> b, int count) const {
  constexpr double kSame = 1e-14;
  Eigen::Matrix<double, kDepth, kDepth> A = Eigen::Matrix<double, kDepth, kDepth>::Identity();
  Eigen::Matrix<double, kDepth, 1> r = Eigen::Matrix<double, kDepth, 1>::Zero(), scale = r;
  const auto column = [this](int k) {
    const std::vector<double>& db = db_[static_cast<std::size_t>(k)];
    return Eigen::Map<const Eigen::VectorXd>(db.data(), static_cast<Eigen::Index>(db.size()));
  };
  const Eigen::Map<const Eigen::VectorXd> error(b.data(), static_cast<Eigen::Index>(b.size()));
  for (int i = 0; i < count; ++i) {
    const double size = column(i).norm();
    scale[i] = size > 0 ? 1 / size : 0;
    for (int k = 0; k < i; ++k) A(i, k) = A(k, i) = scale[i] * scale[k] * column(i).dot(column(k));
    A(i, i) = 1 + kSame;
    r[i] = scale[i] * column(i).dot(error);
  }
  const Eigen::Matrix<double, kDepth, 1> z = A.ldlt().solve(r);
  std::array<double, kDepth> gamma{};
  for (int k = 0; k < count; ++k) gamma[static_cast<std::size_t>(k)] = scale[k] * z[k];
  return gamma;
}

template class Mixing<BodyVector>;
template class Mixing<double>;

}  // namespace catena
