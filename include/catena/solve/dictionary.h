// basic = q + D · nonbasic, and the exchange of a basic with a nonbasic variable: what pivoting methods are made of.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace catena::solve {

struct Dictionary {
  Eigen::MatrixXd D;
  std::vector<int> basic, nonbasic;  // names of the variables, by row and column

  void exchange(int row, int column) {
    const double p = 1 / D(row, column);
    // The new row says the entering variable in terms of the others and the one that leaves.
    D.row(row) *= -p;
    D(row, column) = p;
    pivot_row_ = D.row(row);
    pivot_row_[column] = 0;
    pivot_column_ = D.col(column);
    pivot_column_[row] = 0;
    D.noalias() += pivot_column_ * pivot_row_.transpose();
    D.col(column) = p * pivot_column_;
    D(row, column) = p;
    std::swap(basic[row], nonbasic[column]);
  }

 private:
  Eigen::VectorXd pivot_row_, pivot_column_;
};

}  // namespace catena::solve
