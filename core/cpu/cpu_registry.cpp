#include "core/cpu/cpu_registry.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/cpu/cpu_pass.hpp"
#include "core/schedule/diagonal_blocks.hpp"

namespace sparsecast {
namespace {

/// The value of a scalar operand, as the kernel wants it.
template <class T>
T scalar(const CpuCall<T>& call, std::span<const double> scalars, std::size_t operand) {
  return static_cast<T>(scalars[static_cast<std::size_t>(call.scalars[operand])]);
}

template <class T>
PartialSums load(const CpuCall<T>& call, std::span<const double>, std::int64_t begin,
                 std::int64_t end) {
  return {
      {call.kernels->load(begin, end, call.vectors.data(), static_cast<int>(call.vectors.size()))}};
}

/// A few blocks after another, so that a sum finds both vectors in a cache.
template <class T>
PartialSums multiply_blocks(const CpuCall<T>& call, std::span<const double>, std::int64_t begin,
                            std::int64_t end) {
  constexpr std::int64_t piece = 840;  // whole blocks of any size
  const std::size_t rows = call.vectors.size() - 2;
  const CpuBlocks<T> blocks{call.vectors.data(), static_cast<int>(rows), call.first_row, call.rows};
  const T* input = call.vectors[rows];
  T* target = call.vectors[rows + 1];
  PartialSums sums;
  for (std::int64_t first = begin; first < end;) {
    const std::int64_t last = std::min(end, first + piece - (call.first_row + first) % piece);
    call.kernels->multiply_blocks(first, last, blocks, input, target);
    if (call.sums) sums.values[0] += call.kernels->dot(first, last, input, target);
    first = last;
  }
  return sums;
}

}  // namespace

template <class T>
CpuFunction<T> cpu_function(const Step& step) {
  using Call = const CpuCall<T>&;
  using Scalars = std::span<const double>;
  using Row = std::int64_t;
  if (step.kind == StepKind::reduce) {
    return [](Call c, Scalars, Row begin, Row end) {
      return PartialSums{{c.kernels->sum(begin, end, c.vectors[0])}};
    };
  }
  static const std::pair<std::string_view, CpuFunction<T>> table[] = {
      {"SpMV",
       [](Call c, Scalars, Row begin, Row end) {
         c.matrix->multiply(begin, end, c.vectors[0], c.vectors[1]);
         return PartialSums{};
       }},
      {"SpMVDot",
       [](Call c, Scalars, Row begin, Row end) {
         return c.matrix->multiply_dot(begin, end, c.vectors[0], c.vectors[1]);
       }},
      {"CG1",
       [](Call c, Scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         c.kernels->cg1(begin, end, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
         return PartialSums{};
       }},
      {"CG2",
       [](Call c, Scalars, Row begin, Row end) {
         c.kernels->cg2(begin, end, c.vectors[0], c.vectors[1]);
         return PartialSums{};
       }},
      {"CG3",
       [](Call c, Scalars, Row begin, Row end) {
         c.kernels->cg3(begin, end, c.vectors[0], c.vectors[1], c.vectors[2]);
         return PartialSums{};
       }},
      {"CG4",
       [](Call c, Scalars scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         c.kernels->cg4(begin, end, scalar(c, scalars, 0), v[0], v[1], v[2], v[3], v[4], v[5],
                        v[6]);
         return PartialSums{};
       }},
      {"CG5",
       [](Call c, Scalars scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         c.kernels->cg5(begin, end, scalar(c, scalars, 0), v[0], v[1], v[2], v[3], v[4]);
         return PartialSums{};
       }},
      {"CGStart",
       [](Call c, Scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         return c.kernels->cg_start(begin, end, v[0], v[1], v[2], v[3], v[4]);
       }},
      {"CGResidual",
       [](Call c, Scalars scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         return c.kernels->cg_residual(begin, end, scalar(c, scalars, 0), v[0], v[1], v[2]);
       }},
      {"CGDirection",
       [](Call c, Scalars scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         c.kernels->cg_direction(begin, end, scalar(c, scalars, 0), scalar(c, scalars, 1), v[0],
                                 v[1], v[2]);
         return PartialSums{};
       }},
      {"Copy",
       [](Call c, Scalars, Row begin, Row end) {
         std::copy(c.vectors[0] + begin, c.vectors[0] + end, c.vectors[1] + begin);
         return PartialSums{};
       }},
      {"LoadFixed", load<T>},
      {"LoadVariable", load<T>},
      {"Mixed",
       [](Call c, Scalars, Row begin, Row end) {
         const int all = static_cast<int>(c.vectors.size());
         c.kernels->mixed(begin, end, c.vectors.data(), c.reads, c.vectors.data() + c.reads,
                          all - c.reads);
         return PartialSums{};
       }},
      {pass_kernel, carry_out_pass<T>},
      {block_kernel, multiply_blocks<T>},
      {block_dot_kernel, multiply_blocks<T>},
  };
  for (const auto& [name, function] : table) {
    if (name == step.name) return function;
  }
  throw Error("the CPU has no kernel '" + step.name + "'");
}

template CpuFunction<float> cpu_function<float>(const Step& step);
template CpuFunction<double> cpu_function<double>(const Step& step);

}  // namespace sparsecast
