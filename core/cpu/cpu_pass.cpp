#include "core/cpu/cpu_pass.hpp"

#include <algorithm>
#include <array>

namespace sparsecast {
namespace {

/// Rows of one piece: eight vectors of them fit in a first-level cache.
constexpr std::int64_t piece = 512;

template <class T>
using Terms = std::array<CpuPassTerm<T>, most_pass_terms + most_block_vectors>;

/// The calling thread's sums of its pass.
using Sums = std::array<double, most_pass_dots + most_block_vectors>;
thread_local Sums pass_sums;

/// The terms of all statements, one behind the other, with the values of their scalars.
template <class T>
Terms<T> bound_terms(const CpuCall<T>& call, std::span<const double> scalars) {
  Terms<T> bound;
  auto* next = bound.data();
  for (const PassStatement& statement : call.pass->statements) {
    for (const PassTerm& term : statement.terms) {
      const double scalar = term.scalar < 0 ? 1 : scalars[static_cast<std::size_t>(term.scalar)];
      *next++ = {static_cast<T>(term.factor * scalar),
                 call.vectors[static_cast<std::size_t>(term.operand)],
                 term.times < 0 ? nullptr : call.vectors[static_cast<std::size_t>(term.times)]};
    }
  }
  return bound;
}

}  // namespace

template <class T>
PartialSums carry_out_pass(const CpuCall<T>& call, std::span<const double> scalars,
                           std::int64_t begin, std::int64_t end) {
  const Terms<T> bound = bound_terms(call, scalars);
  const auto vector = [&call](int operand) {
    return call.vectors[static_cast<std::size_t>(operand)];
  };
  const int dots = dot_count(*call.pass);
  std::fill_n(pass_sums.begin(), dots, 0.0);
  for (std::int64_t first = begin; first < end; first += piece) {
    const std::int64_t last = std::min(first + piece, end);
    const CpuPassTerm<T>* terms = bound.data();
    double* sum = pass_sums.data();
    for (const PassStatement& statement : call.pass->statements) {
      if (statement.target < 0) {
        *sum++ += call.kernels->dot(first, last, vector(statement.a), vector(statement.b));
        continue;
      }
      const auto count = static_cast<int>(statement.terms.size());
      call.kernels->combine(first, last, terms, count, vector(statement.target));
      terms += count;
    }
  }
  PartialSums sums;
  std::copy_n(pass_sums.begin(), std::min(dots, PartialSums::few), sums.values);
  sums.more = pass_sums.data() + PartialSums::few;
  return sums;
}

template PartialSums carry_out_pass(const CpuCall<float>&, std::span<const double>, std::int64_t,
                                    std::int64_t);
template PartialSums carry_out_pass(const CpuCall<double>&, std::span<const double>, std::int64_t,
                                    std::int64_t);

}  // namespace sparsecast
