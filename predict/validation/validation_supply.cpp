#include "predict/validation/validation_supply.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast {

namespace {

/// In both precisions, with what making, renumbering and counting take besides.
constexpr double bytes_per_nonzero = 40;

/// A renumbering, and the number of devices that it is for; 0: any.
using Order = std::pair<Renumbering, int>;

std::vector<Order> orders_of(const ValidationSource& source) {
  std::vector<Order> orders;
  for (const Renumbering how : source.renumberings) {
    if (how != Renumbering::metis) {
      orders.emplace_back(how, 0);
      continue;
    }
    for (const int devices : source.metis_devices) orders.emplace_back(how, devices);
  }
  return orders;
}

std::vector<double> bytes_of(const std::vector<ValidationSource>& sources) {
  std::vector<double> bytes;
  for (const ValidationSource& source : sources) {
    bytes.push_back(bytes_per_nonzero * source.nonzeros *
                    static_cast<double>(orders_of(source).size()));
  }
  return bytes;
}

ValidationSupply::Result prepare(const std::vector<ValidationSource>& sources, std::size_t source,
                                 int threads) {
  ValidationSupply::Result result;
  result.source = source;
  try {
    result.inputs = prepare_inputs(sources[source], threads);
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  return result;
}

CsrMatrix<double> renumbered(const CsrView<double>& matrix, const Order& order, int threads) {
  const auto [how, devices] = order;
  const Permutation permutation = make_permutation(how, matrix, std::max(1, devices));
  return renumber(matrix, std::span<const std::int32_t>(permutation), threads);
}

Buffer<float> rounded(std::span<const double> values, int threads) {
  constexpr std::int64_t grain = 65536;
  Buffer<float> result;
  result.resize(values.size());
  parallel_for(
      static_cast<std::int64_t>(values.size()), grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) result[k] = static_cast<float>(values[k]);
      },
      threads);
  return result;
}

}  // namespace

std::string pattern_key(const CsrView<double>& matrix) {
  // FNV-1a over whole numbers.
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](std::uint64_t number) {
    hash ^= number;
    hash *= 1099511628211u;
  };
  add(static_cast<std::uint64_t>(matrix.columns));
  for (std::int64_t row = 0; row <= matrix.rows; ++row) {
    add(static_cast<std::uint64_t>(matrix.row_offsets[row]));
  }
  for (const std::int32_t column : matrix.column_indices) add(static_cast<std::uint64_t>(column));
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

bool can_be_solved(const CsrView<double>& matrix, const MatrixFeatures& features,
                   Backend& backend) {
  const bool plausible = features.symmetric && features.not_finite == 0 &&
                         features.missing_diagonal == 0 && features.zero_diagonal == 0 &&
                         features.negative_diagonal == 0;
  if (!plausible) return false;
  constexpr std::int64_t iterations = 20;
  const auto prepared = backend.prepare(fused_cg().schedule, matrix, block_layout(1));
  if (!can_iterate(*prepared, fused_cg().slots, matrix, iterations)) return false;
  const CsrMatrix<float> rounded = convert_values<float>(matrix);
  const auto single = backend.prepare(fused_cg().schedule, rounded, block_layout(1));
  return can_iterate(*single, fused_cg().slots, rounded.view(), iterations);
}

std::vector<ValidationInput> prepare_inputs(const ValidationSource& source, int threads) {
  ValidationMatrix loaded = source.load(threads);
  const CsrView<double> given = loaded.matrix;
  if (given.rows != given.columns) {
    throw Error(loaded.name + ": " + std::to_string(given.rows) + " rows and " +
                std::to_string(given.columns) + " columns; expected a square matrix");
  }
  if (given.rows == 0) throw Error(loaded.name + ": no unknowns");
  const std::string pattern = pattern_key(given);
  bool surrogate = loaded.pattern_only;
  if (!surrogate && !source.generated && !source.keeps_values) {
    CpuBackend backend(1, threads > 0 ? threads : available_threads());
    surrogate = !can_be_solved(given, compute_features(given, threads), backend);
  }
  if (surrogate) loaded.matrix = spd_surrogate(given, threads);

  std::vector<ValidationInput> inputs;
  const std::vector<Order> orders = orders_of(source);
  for (const Order& order : orders) {
    ValidationInput input;
    input.matrix = loaded.name;
    input.pattern = pattern;
    std::tie(input.renumbering, input.devices) = order;
    input.surrogate_values = surrogate;
    input.generated = source.generated;
    if (input.renumbering != Renumbering::none) {
      try {
        input.f64 = renumbered(loaded.matrix, order, threads);
      } catch (const Error& error) {
        throw Error(loaded.name + " renumbered by " + std::string(to_string(order.first)) + ": " +
                    error.what());
      }
    } else if (&order == &orders.back()) {
      input.f64 = std::move(loaded.matrix);
    } else {
      input.f64 = convert_values<double>(loaded.matrix.view());
    }
    input.f32_values = rounded(input.f64.values, threads);
    input.features = compute_features(input.f64.view(), threads);
    input.access = compute_access(input.f64.view(), threads);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

ValidationSupply::ValidationSupply(std::vector<ValidationSource> sources, int workers,
                                   double most_bytes)
    : sources_(std::move(sources)),
      ahead_(
          bytes_of(sources_),
          [this, threads = workers > 0 ? 1 : 0](std::size_t source) {
            return prepare(sources_, source, threads);
          },
          workers, most_bytes) {}

std::optional<ValidationSupply::Result> ValidationSupply::next() {
  auto ready = ahead_.next();
  if (!ready) return std::nullopt;
  return std::move(ready->second);
}

}  // namespace sparsecast
