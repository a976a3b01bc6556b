#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/random_csr.hpp"
#include "core/schedule/pass_step.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Of the scalars that random passes multiply by.
constexpr int scalar_count = 3;
inline const std::vector<double> scalar_values{0.75, -1.25, 0.5};

/// A pass on so many operands, all of which it uses, with terms of the first `scalars` slots; dot
/// products stand among the assignments. Vectors are read and assigned in any order. Without
/// assignments there must be half as many dot products as operands.
inline VectorPass random_pass(std::mt19937& random, int operands, int assignments, int dots,
                              int scalars) {
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  const auto term = [&](int operand) {
    PassTerm made{random_value(random) / 2, below(scalars + 1) - 1, operand, -1};
    if (below(3) == 0) made.times = below(operands);
    return made;
  };
  VectorPass pass;
  int unused = 0;
  const auto next_operand = [&] { return unused < operands ? unused++ : below(operands); };
  for (int k = 0; k < dots; ++k) {
    const int a = assignments == 0 ? next_operand() : below(operands);
    pass.statements.push_back({-1, {}, a, assignments == 0 ? next_operand() : below(operands)});
  }
  for (int k = 0; k < assignments; ++k) {
    PassStatement statement;
    statement.target = below(operands);
    const int terms = k + 1 == assignments ? 1 + below(3) : below(5);
    for (int t = 0; t < terms; ++t) statement.terms.push_back(term(next_operand()));
    while (k + 1 == assignments && unused < operands) {
      statement.terms.push_back(term(next_operand()));
    }
    pass.statements.push_back(statement);
  }
  std::shuffle(pass.statements.begin(), pass.statements.end(), random);
  return pass;
}

/// Passes with blocks of so many vectors: v0 = v1 + the sum of terms of all others, with v0.v0 and
/// a second sum; the others' dot products with v0; and half of them each in one pass.
inline std::vector<VectorPass> block_passes(std::mt19937& random, int vectors, int scalars) {
  const auto terms = [&](int from, int to) {
    std::vector<PassTerm> made{{1, -1, 1}};
    for (int k = from; k < to; ++k) {
      const auto scalar = static_cast<int>(random() % static_cast<unsigned>(scalars + 1)) - 1;
      made.push_back({random_value(random) / 2, scalar, k});
    }
    made.push_back({0.5, 0, 1, 1});
    return made;
  };
  const auto dots = [](int from, int to) {
    std::vector<PassStatement> made;
    for (int k = from; k < to; ++k) {
      made.push_back(k % 2 == 0 ? PassStatement{-1, {}, k, 0} : PassStatement{-1, {}, 0, k});
    }
    return made;
  };
  const int end = 2 + vectors;
  const int middle = 2 + vectors / 2;
  VectorPass combination{{{0, terms(2, end), -1, -1}, {-1, {}, 0, 0}, {-1, {}, 1, 0}}};
  VectorPass products{{{0, {{1, -1, 1}}, -1, -1}}};
  for (const auto& dot : dots(2, end)) products.statements.push_back(dot);
  products.statements.push_back({-1, {}, 0, 0});
  VectorPass both{{{-1, {}, 1, 1}, {0, terms(2, middle), -1, -1}}};
  for (const auto& dot : dots(middle, end)) both.statements.push_back(dot);
  both.statements.push_back({1, {{-1, -1, 0}, {1, -1, 1}}, -1, -1});
  return {combination, products, both};
}

/// What a pass makes of vectors in double precision, and the same of the absolute values of all
/// terms: what rounding is measured by.
struct PassReference {
  std::vector<std::vector<double>> values;
  std::vector<std::vector<double>> magnitudes;
  std::vector<double> sums;
  std::vector<double> sum_magnitudes;
};

/// Of rows [begin, end).
template <class T>
PassReference pass_reference(const VectorPass& pass, const std::vector<std::vector<T>>& before,
                             const std::vector<double>& scalars, std::size_t begin,
                             std::size_t end) {
  PassReference reference;
  for (const auto& vector : before) {
    reference.values.emplace_back(vector.begin(), vector.end());
    reference.magnitudes.emplace_back();
    for (const T value : vector) reference.magnitudes.back().push_back(std::abs(value));
  }
  auto& values = reference.values;
  auto& magnitudes = reference.magnitudes;
  for (const PassStatement& statement : pass.statements) {
    if (statement.target < 0) {
      // Kernels add parts up, which loses less than one sum of so many values in double.
      long double sum = 0;
      double magnitude = 0;
      for (std::size_t i = begin; i < end; ++i) {
        sum += static_cast<long double>(values[statement.a][i]) * values[statement.b][i];
        magnitude += magnitudes[statement.a][i] * magnitudes[statement.b][i];
      }
      reference.sums.push_back(static_cast<double>(sum));
      reference.sum_magnitudes.push_back(magnitude);
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      double value = 0;
      double magnitude = 0;
      for (const PassTerm& term : statement.terms) {
        const double coefficient = term.factor * (term.scalar < 0 ? 1 : scalars[term.scalar]);
        value +=
            coefficient * values[term.operand][i] * (term.times < 0 ? 1 : values[term.times][i]);
        magnitude += std::abs(coefficient) * magnitudes[term.operand][i] *
                     (term.times < 0 ? 1 : magnitudes[term.times][i]);
      }
      values[statement.target][i] = value;
      magnitudes[statement.target][i] = magnitude;
    }
  }
  return reference;
}

/// Holds rows [begin, end) of a vector against what the pass makes of it.
template <class T>
void expect_pass_vector(const std::vector<T>& actual, const PassReference& reference,
                        std::size_t vector, std::size_t begin, std::size_t end) {
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  for (std::size_t i = begin; i < end; ++i) {
    ASSERT_NEAR(static_cast<double>(actual[i]), reference.values[vector][i],
                64 * epsilon * reference.magnitudes[vector][i])
        << "vector " << vector << ", row " << i;
  }
}

/// The same of a dot product.
template <class T>
void expect_pass_sum(double actual, const PassReference& reference, std::size_t k) {
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  EXPECT_NEAR(actual, reference.sums[k], 64 * epsilon * reference.sum_magnitudes[k]) << "dot " << k;
}

/// A schedule of this pass: vectors "v0", "v1", ..., of which every third is a full one, exchanged
/// where the pass assigns it; scalars "s0", ... and the sums "sum0", ... behind them.
inline Schedule pass_schedule(const VectorPass& pass, int operands, int scalars) {
  Schedule schedule;
  schedule.name = "pass";
  std::vector<VectorSlot> vectors;
  for (int k = 0; k < operands; ++k) {
    vectors.push_back(k);
    schedule.vectors.push_back(
        {"v" + std::to_string(k), k % 3 == 2 ? VectorScope::full : VectorScope::segment});
  }
  for (int k = 0; k < scalars; ++k) schedule.scalars.push_back({"s" + std::to_string(k), 0});
  std::vector<ScalarSlot> sums;
  for (int k = 0; k < dot_count(pass); ++k) {
    sums.push_back(static_cast<ScalarSlot>(schedule.scalars.size()));
    schedule.scalars.push_back({"sum" + std::to_string(k), 54321});
  }
  schedule.iteration = {pass_step(pass, vectors, sums)};
  for (std::size_t k = 2; k < vectors.size(); k += 3) {
    if (schedule.iteration[0].accesses[k] == VectorAccess::read) continue;
    Step exchange;
    exchange.kind = StepKind::exchange;
    exchange.name = "Exchange";
    exchange.vectors = {vectors[k]};
    schedule.iteration.push_back(exchange);
  }
  return schedule;
}

/// Random vectors for a pass; those that it must write without looking at them are poisoned.
template <class T>
std::vector<std::vector<T>> pass_vectors(const Step& step, std::int64_t size,
                                         std::mt19937& random) {
  std::vector<std::vector<T>> vectors;
  for (const VectorAccess access : step.accesses) {
    std::vector<T> values(static_cast<std::size_t>(size), static_cast<T>(12345));
    if (access != VectorAccess::write) {
      for (T& value : values) value = static_cast<T>(random_value(random));
    }
    vectors.push_back(values);
  }
  return vectors;
}

/// Runs a `pass_schedule` once on these vectors and `scalar_values`, and compares vectors, sums and
/// counters.
template <class T>
void expect_pass_run(PreparedSchedule<T>& prepared, const Schedule& schedule,
                     const std::vector<std::vector<T>>& before, const PassReference& reference,
                     std::int64_t launches = 1) {
  for (std::size_t k = 0; k < before.size(); ++k) {
    prepared.set_vector(schedule.vectors[k].name, before[k]);
  }
  for (std::size_t k = 0; k < scalar_values.size(); ++k) {
    prepared.set_scalar(schedule.scalars[k].name, scalar_values[k]);
  }
  EXPECT_EQ(prepared.run(1).iterations, 1);
  for (std::size_t k = 0; k < before.size(); ++k) {
    std::vector<T> after(before[k].size());
    prepared.get_vector(schedule.vectors[k].name, after);
    expect_pass_vector(after, reference, k, 0, after.size());
  }
  for (std::size_t k = 0; k < reference.sums.size(); ++k) {
    expect_pass_sum<T>(prepared.scalar("sum" + std::to_string(k)), reference, k);
  }
  BytesByKind moved;
  for (const SegmentShape& shape : prepared.segments()) {
    const BytesByKind bytes = bytes_moved(schedule.iteration[0], shape, precision_of<T>());
    moved.vector_reads += bytes.vector_reads;
    moved.vector_writes += bytes.vector_writes;
  }
  const RunCounters counters = prepared.counters();
  EXPECT_EQ(counters.bytes.vector_reads, moved.vector_reads);
  EXPECT_EQ(counters.bytes.vector_writes, moved.vector_writes);
  EXPECT_EQ(counters.kernels, 1);
  EXPECT_EQ(counters.launches, launches);
}

/// With 4000 scalars: counts the rows by a dot product of ones into a far slot, adds that up along
/// a chain of 150 slots, which reaches "chained", passes it on to vector "v", and counts the
/// iterations by a few operations behind a second sum; ends when "rounds" reaches "most_rounds".
/// In each iteration "chained" grows by 150 times the rows.
inline Schedule many_scalars_schedule() {
  constexpr int chain = 150;
  constexpr ScalarSlot rows = 3000;
  constexpr ScalarSlot first = 1000;
  constexpr ScalarSlot one = 3500;
  constexpr ScalarSlot rounds = 3600;
  constexpr ScalarSlot most_rounds = 3700;
  constexpr ScalarSlot mean = 3800;
  constexpr ScalarSlot v_u = 3900;
  Schedule schedule;
  schedule.name = "many_scalars";
  schedule.vectors = {{"u"}, {"v"}};
  for (int k = 0; k < 4000; ++k) schedule.scalars.push_back({"s" + std::to_string(k), 0});
  schedule.scalars[one] = {"one", 1};
  schedule.scalars[rounds].name = "rounds";
  schedule.scalars[most_rounds] = {"most_rounds", 1e300};
  schedule.scalars[mean].name = "mean";
  schedule.scalars[v_u].name = "v_u";
  schedule.scalars[first + chain].name = "chained";

  Step links;
  links.kind = StepKind::host_scalar;
  links.name = "Chain";
  links.assignments = {{first, ScalarOperation::copy, first + chain}};
  for (int k = 0; k < chain; ++k) {
    links.assignments.push_back({first + k + 1, ScalarOperation::add, first + k, rows});
  }
  Step counts;
  counts.kind = StepKind::host_scalar;
  counts.name = "Count";
  counts.assignments = {{mean, ScalarOperation::divide, v_u, rows},
                        {rounds, ScalarOperation::add, rounds, one}};
  Step check;
  check.kind = StepKind::check;
  check.name = "Check";
  check.stop_tests = {{{most_rounds, Comparison::less_equal, rounds}, Outcome::converged}};
  schedule.iteration = {pass_step({{{-1, {}, 0, 0}}}, {0}, {rows}), links,
                        pass_step({{{1, {{1, first + chain, 0}}}, {-1, {}, 1, 0}}}, {0, 1}, {v_u}),
                        counts, check};
  return schedule;
}

}  // namespace sparsecast
