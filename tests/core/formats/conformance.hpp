#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/engine/backend.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/registry.hpp"
#include "core/narrow_offsets.hpp"
#include "core/random_csr.hpp"
#include "core/reference_product.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

/// @file
/// What every format has to pass, on every back end, in both precisions: products of matrices of
/// all shapes, alone and with their sum, each against the same reference, the bytes that it stores
/// against those that are priced, and all of it alike for row offsets of 64 and of 32 bits.

namespace sparsecast {

template <class T>
struct ConformanceCase {
  std::string name;
  CsrMatrix<T> matrix;
};

/// From entries by row, in any order of columns.
template <class T>
CsrMatrix<T> matrix_of(std::int64_t columns, std::vector<std::vector<std::int32_t>> rows,
                       std::mt19937& random) {
  CsrMatrix<T> matrix;
  matrix.rows = std::ssize(rows);
  matrix.columns = columns;
  matrix.row_offsets.push_back(0);
  for (std::vector<std::int32_t>& row : rows) {
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const std::int32_t column : row) {
      matrix.column_indices.push_back(column);
      matrix.values.push_back(static_cast<T>(random_value(random)));
    }
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  return matrix;
}

template <class T>
std::vector<ConformanceCase<T>> conformance_cases(unsigned seed) {
  std::mt19937 random(seed);
  using Rows = std::vector<std::vector<std::int32_t>>;
  std::vector<ConformanceCase<T>> cases;
  const auto add = [&](std::string name, std::int64_t columns, Rows rows) {
    cases.push_back({std::move(name), matrix_of<T>(columns, std::move(rows), random)});
  };
  add("one by one", 1, {{0}});
  add("empty", 3, Rows(3));
  cases.push_back({"random, empty rows among them", random_csr<T>(213, 213, 3, seed)});
  cases.push_back({"wider than high", random_csr<T>(70, 301, 5, seed + 1)});
  cases.push_back({"higher than wide", random_csr<T>(301, 70, 5, seed + 2)});
  {
    Rows rows(130);
    for (std::int32_t i = 0; i < 130; ++i) rows[i] = {i, (i * 7 + 3) % 130};
    for (std::int32_t j = 0; j < 130; ++j) rows[60].push_back(j);
    add("one full row", 130, rows);
  }
  {
    Rows rows(97);
    for (std::int32_t i = 0; i < 97; ++i) {
      rows[i].push_back(i);
      for (std::int32_t j = 40; j < 64; ++j) {
        if (i >= 40 && i < 64) rows[i].push_back(j);
      }
    }
    add("a dense block", 97, rows);
  }
  {
    // Diagonals of all kinds, long enough for many threads and a halo on both sides.
    const std::int32_t n = 5000;
    Rows rows(n);
    for (std::int32_t i = 0; i < n; ++i) {
      for (const std::int32_t offset : {-1700, -70, -1, 0, 1, 33, 70, 2100}) {
        if (i + offset >= 0 && i + offset < n && (i + offset) % 11 != 0) {
          rows[i].push_back(i + offset);
        }
      }
    }
    add("diagonals", n, rows);
  }
  {
    // So few rows that thousands of diagonals are stored.
    Rows rows(64);
    for (auto& row : rows) {
      for (int k = 0; k < 250; ++k) row.push_back(static_cast<std::int32_t>(random() % 20000));
    }
    add("thousands of diagonals", 20000, rows);
  }
  {
    // Rows that are worked on in pieces, beside each other and alone, few enough to be padded.
    Rows rows(230);
    for (std::int32_t i = 0; i < 230; ++i) rows[i] = {i, 2 * i + 1};
    const auto fill = [&](std::int32_t row, std::int32_t entries) {
      rows[row].clear();
      for (std::int32_t j = 0; j < entries; ++j) rows[row].push_back(4000 - entries + j);
    };
    fill(20, 4000);
    fill(21, 1018);
    fill(22, 1017);
    fill(100, 2034);
    fill(229, 3333);
    add("rows of thousands", 4000, rows);
  }
  {
    const std::int32_t n = 700;
    Rows rows(n);
    for (std::int32_t i = 0; i < n; ++i) {
      for (std::int32_t offset = -60; offset <= 60; ++offset) {
        if (i + offset >= 0 && i + offset < n) rows[i].push_back(i + offset);
      }
    }
    add("a hundred diagonals", n, rows);
  }
  return cases;
}

/// What one run of a step gives.
template <class T>
struct StepResult {
  std::vector<T> output;
  double sum = 0;  ///< of SpMVDot
};

/// Runs a product, the only step of `schedule`, once.
template <class T>
StepResult<T> run_step(PreparedSchedule<T>& prepared, const Schedule& schedule,
                       const std::vector<T>& input, std::int64_t rows) {
  const Step& step = schedule.iteration.front();
  const auto name_of = [&](std::size_t place) {
    return schedule.vectors[static_cast<std::size_t>(step.vectors[place])].name;
  };
  prepared.set_vector(name_of(0), input);
  // Poison: all of it must be written.
  StepResult<T> result{std::vector<T>(static_cast<std::size_t>(rows), T{12345})};
  prepared.set_vector(name_of(1), result.output);
  prepared.run(1);
  prepared.get_vector(name_of(1), result.output);
  if (!step.sums.empty()) {
    result.sum = prepared.scalar(schedule.scalars[static_cast<std::size_t>(step.sums[0])].name);
  }
  return result;
}

/// Runs all cases in a layout on a back end. A format may refuse a matrix that does not fit it with
/// an `Error` that begins with "layout NAME: "; then `refused` is counted.
template <class T>
void expect_conformance(Backend& backend, const Layout& layout, unsigned seed, int& refused) {
  std::mt19937 random(seed);
  for (const auto& [name, matrix] : conformance_cases<T>(seed)) {
    SCOPED_TRACE(to_string(layout) + ", " + name + ", " + std::to_string(backend.device_count()) +
                 " devices, seed " + std::to_string(seed));
    for (const char* step : {"SpMV", "SpMVDot"}) {
      if (step == std::string("SpMVDot") && matrix.rows != matrix.columns) continue;
      const Schedule schedule = single_step_schedule(step);
      std::unique_ptr<PreparedSchedule<T>> prepared;
      try {
        prepared = backend.prepare(schedule, matrix.view(), layout);
      } catch (const Error& error) {
        EXPECT_TRUE(
            std::string(error.what()).starts_with("layout " + std::string(layout.format) + ": "))
            << error.what();
        ++refused;
        continue;
      }
      std::vector<T> input(static_cast<std::size_t>(matrix.columns));
      for (T& value : input) value = static_cast<T>(random_value(random));
      const StepResult<T> result = run_step(*prepared, schedule, input, matrix.rows);
      const std::vector<T>& output = result.output;

      const ReferenceProduct expected = reference_product(matrix, input);
      constexpr double epsilon = std::numeric_limits<T>::epsilon();
      double dot = 0;
      double dot_magnitude = 0;
      for (std::size_t i = 0; i < output.size(); ++i) {
        const double tolerance = 8 * epsilon * (expected.magnitudes[i] + 1e-30);
        EXPECT_NEAR(static_cast<double>(output[i]), expected.sums[i], tolerance) << "row " << i;
        if (matrix.rows == matrix.columns) {
          dot += expected.sums[i] * static_cast<double>(input[i]);
          dot_magnitude += expected.magnitudes[i] * std::abs(static_cast<double>(input[i]));
        }
      }
      if (step == std::string("SpMVDot")) {
        EXPECT_NEAR(result.sum, dot, 16 * epsilon * (dot_magnitude + 1e-30));
      }

      // Row offsets of 32 bits give the same bits, if any product does.
      const NarrowOffsets<T> narrow(matrix);
      const auto again = backend.prepare(schedule, narrow.view(), layout);
      const StepResult<T> narrow_result = run_step(*again, schedule, input, matrix.rows);
      if (format_of(layout).repeats_bits) {
        EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(narrow_result.output)),
                                       std::as_bytes(std::span(output))));
        EXPECT_EQ(narrow_result.sum, result.sum);
      } else {
        for (std::size_t i = 0; i < output.size(); ++i) {
          EXPECT_NEAR(static_cast<double>(narrow_result.output[i]), expected.sums[i],
                      8 * epsilon * (expected.magnitudes[i] + 1e-30));
        }
        EXPECT_NEAR(narrow_result.sum, result.sum, 32 * epsilon * (dot_magnitude + 1e-30));
      }
      EXPECT_EQ(again->bytes_per_device(), prepared->bytes_per_device());

      // The bytes that were read are those that the segments' sizes say, which are priced.
      double priced = 0;
      for (const SegmentShape& shape : prepared->segments()) {
        priced += bytes_moved(schedule.iteration.front(), shape, precision_of<T>()).values;
        EXPECT_EQ(shape.total_unknowns, static_cast<double>(matrix.columns));
      }
      EXPECT_EQ(prepared->counters().bytes.values, priced);
      if (backend.device_count() == 1) {
        const SegmentShape stored = prepared->segments().front();
        PatternNumbers numbers;
        numbers.rows = static_cast<double>(matrix.rows);
        numbers.columns = static_cast<double>(matrix.columns);
        numbers.nonzeros = static_cast<double>(matrix.nonzeros());
        for (std::size_t k = 0; k < block_sizes.size(); ++k) {
          numbers.blocks[k] = static_cast<double>(
              count_blocks(matrix.view().pattern(), {0, matrix.rows}, block_sizes[k]).back());
        }
        const Format& format = format_of(layout);
        if (format.count != nullptr) {
          numbers.counts = format.count(matrix.view().pattern(), {0, matrix.rows}, layout, 2, {});
        }
        const SegmentShape predicted = format.shape(numbers, layout);
        EXPECT_EQ(stored.elements, predicted.elements);
        EXPECT_EQ(stored.blocks, predicted.blocks);
        EXPECT_EQ(stored.block_rows, predicted.block_rows);
        EXPECT_EQ(stored.offset_bytes, predicted.offset_bytes);
      }
    }
  }
}

}  // namespace sparsecast
