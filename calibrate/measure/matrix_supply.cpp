#include "calibrate/measure/matrix_supply.hpp"

#include <algorithm>
#include <utility>

namespace sparsecast {
namespace {

std::vector<double> bytes_of(const std::vector<MatrixRecipe>& recipes,
                             const std::vector<int>& order) {
  constexpr double bytes_per_nonzero = 20;  // both precisions
  std::vector<double> bytes;
  for (const int index : order) {
    bytes.push_back(bytes_per_nonzero * recipes[static_cast<std::size_t>(index)].nonzeros);
  }
  return bytes;
}

SuppliedMatrix generate(const MatrixRecipe& recipe, int threads) {
  SuppliedMatrix matrix;
  matrix.f64 = recipe.generate(threads);
  matrix.f32 = convert_values<float>(matrix.f64.view());
  matrix.features = compute_features(matrix.f64.view(), threads);
  matrix.access = compute_access(matrix.f64.view(), threads);
  return matrix;
}

}  // namespace

MatrixSupply::MatrixSupply(const std::vector<MatrixRecipe>& recipes, std::vector<int> order,
                           const SupplyOptions& options,
                           std::function<void(int index, SuppliedMatrix& matrix)> complete)
    : order_(std::move(order)),
      ahead_(
          bytes_of(recipes, order_),
          [this, &recipes, threads = options.threads,
           complete = std::move(complete)](std::size_t place) {
            const int index = order_[place];
            SuppliedMatrix matrix = generate(recipes[static_cast<std::size_t>(index)], threads);
            complete(index, matrix);
            return matrix;
          },
          options.generators_ahead, options.most_bytes_ahead) {}

const SuppliedMatrix& MatrixSupply::get(int index) {
  if (index != index_) {
    index_ = index;
    current_ = {};
    failure_ = nullptr;
    try {
      current_ =
          ahead_.take(static_cast<std::size_t>(std::ranges::find(order_, index) - order_.begin()));
    } catch (...) {
      failure_ = std::current_exception();  // it is not made again
    }
  }
  if (failure_) std::rethrow_exception(failure_);
  return current_;
}

}  // namespace sparsecast
