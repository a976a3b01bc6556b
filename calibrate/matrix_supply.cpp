#include "calibrate/matrix_supply.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sparsecast {

MatrixSupply::MatrixSupply(const std::vector<MatrixRecipe>& recipes, std::vector<int> order,
                           const SupplyOptions& options)
    : recipes_(recipes), order_(std::move(order)), options_(options) {}

double MatrixSupply::bytes_of(int index) const {
  constexpr double bytes_per_nonzero = 20;  // both precisions
  return bytes_per_nonzero * recipes_[static_cast<std::size_t>(index)].nonzeros;
}

SuppliedMatrix MatrixSupply::generate(int index) const {
  SuppliedMatrix matrix;
  matrix.f64 = recipes_[static_cast<std::size_t>(index)].generate(options_.threads);
  matrix.f32 = convert_values<float>(matrix.f64.view());
  matrix.features = compute_features(matrix.f64.view(), options_.threads);
  matrix.access = compute_access(matrix.f64.view(), options_.threads);
  return matrix;
}

void MatrixSupply::look_ahead() {
  int working = 0;
  double bytes = 0;
  for (const auto& [index, matrix] : ahead_) {
    bytes += bytes_of(index);
    if (matrix.wait_for(std::chrono::seconds(0)) != std::future_status::ready) ++working;
  }
  while (next_ < order_.size() && working < options_.generators_ahead) {
    const int index = order_[next_];
    if (!ahead_.empty() && bytes + bytes_of(index) > options_.most_bytes_ahead) return;
    ahead_[index] = std::async(std::launch::async, [this, index] { return generate(index); });
    bytes += bytes_of(index);
    ++working;
    ++next_;
  }
}

const SuppliedMatrix& MatrixSupply::get(int index) {
  if (index == index_) return current_;
  index_ = -1;
  const auto position = std::ranges::find(order_, index) - order_.begin();
  const auto skipped = static_cast<std::size_t>(position);
  for (std::size_t i = 0; i < std::min(skipped, next_); ++i) ahead_.erase(order_[i]);
  next_ = std::max(next_, skipped + 1);
  if (const auto found = ahead_.find(index); found != ahead_.end()) {
    std::future<SuppliedMatrix> future = std::move(found->second);
    ahead_.erase(found);
    current_ = future.get();
  } else {
    current_ = generate(index);
  }
  index_ = index;
  return current_;
}

}  // namespace sparsecast
