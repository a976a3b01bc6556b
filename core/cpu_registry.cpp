#include "core/cpu_registry.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"

namespace sparsecast {
namespace {

using enum Access;

void require_vectors(const Step& step, bool ok, const std::string& expected) {
  if (!ok) {
    throw Error("kernel '" + step.name + "' got " + std::to_string(step.vectors.size()) +
                " vectors; expected " + expected);
  }
}

/// Accesses of a kernel whose operands are always the same.
template <Access... list>
std::vector<Access> fixed(const Step& step, RowOrder) {
  require_vectors(step, step.vectors.size() == sizeof...(list), std::to_string(sizeof...(list)));
  return {list...};
}

std::vector<Access> spmv_accesses(const Step& step, RowOrder row_order) {
  require_vectors(step, step.vectors.size() == 2, "2");
  return {gather, row_order == RowOrder::sorted ? scatter : write};
}

template <Access access>
std::vector<Access> load_accesses(const Step& step, RowOrder) {
  require_vectors(step, !step.vectors.empty(), "at least 1");
  return std::vector<Access>(step.vectors.size(), access);
}

std::size_t mixed_reads(const Step& step) {
  return static_cast<std::size_t>(std::max(step.traffic.vector_reads_per_unknown, 0.0));
}

std::vector<Access> mixed_accesses(const Step& step, RowOrder) {
  const std::size_t count = mixed_reads(step);
  require_vectors(step, count > 0 && count < step.vectors.size(),
                  "at least 1 to read (vector_reads_per_unknown) and 1 to write");
  std::vector<Access> accesses(step.vectors.size(), write);
  std::fill_n(accesses.begin(), count, read);
  return accesses;
}

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

template <class T>
const CpuKernelEntry<T> reduction{
    "Red",
    fixed<read>,
    1,
    [](const CpuCall<T>& call, std::span<const double>, std::int64_t begin, std::int64_t end) {
      return PartialSums{{call.kernels->sum(begin, end, call.vectors[0])}};
    },
    false,
    true,
    false};

}  // namespace

template <class T>
std::span<const CpuKernelEntry<T>> cpu_kernel_table() {
  using Call = const CpuCall<T>&;
  using Scalars = std::span<const double>;
  using Row = std::int64_t;
  static const CpuKernelEntry<T> table[] = {
      {"SpMV", spmv_accesses, 0,
       [](Call c, Scalars, Row begin, Row end) {
         const Row n = c.matrix->block_size;
         c.kernels->spmv(*c.matrix, begin / n, (end + n - 1) / n, c.vectors[0], c.vectors[1]);
         return PartialSums{};
       },
       true, false, false},
      {"SpMVDot", spmv_accesses, 0,
       [](Call c, Scalars, Row begin, Row end) {
         const Row n = c.matrix->block_size;
         return c.kernels->spmv_dot(*c.matrix, begin / n, (end + n - 1) / n, c.first_row,
                                    c.vectors[0], c.vectors[1]);
       },
       true, false, false, 1},
      {"CG1", fixed<read, read, update, write, write, write, write, write>, 0,
       [](Call c, Scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         c.kernels->cg1(begin, end, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
         return PartialSums{};
       },
       false, false, false},
      {"CG2", fixed<read, write>, 0,
       [](Call c, Scalars, Row begin, Row end) {
         c.kernels->cg2(begin, end, c.vectors[0], c.vectors[1]);
         return PartialSums{};
       },
       false, false, false},
      {"CG3", fixed<read, read, write>, 0,
       [](Call c, Scalars, Row begin, Row end) {
         c.kernels->cg3(begin, end, c.vectors[0], c.vectors[1], c.vectors[2]);
         return PartialSums{};
       },
       false, false, false},
      {"CG4", fixed<read, read, read, update, update, write, write>, 1,
       [](Call c, Scalars scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         c.kernels->cg4(begin, end, scalar(c, scalars, 0), v[0], v[1], v[2], v[3], v[4], v[5],
                        v[6]);
         return PartialSums{};
       },
       false, false, false},
      {"CG5", fixed<read, read, update, write, write>, 1,
       [](Call c, Scalars scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         c.kernels->cg5(begin, end, scalar(c, scalars, 0), v[0], v[1], v[2], v[3], v[4]);
         return PartialSums{};
       },
       false, false, false},
      {"CGStart", fixed<read, read, read, write, write>, 0,
       [](Call c, Scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         return c.kernels->cg_start(begin, end, v[0], v[1], v[2], v[3], v[4]);
       },
       false, false, false, 2},
      {"CGResidual", fixed<read, read, update>, 1,
       [](Call c, Scalars scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         return c.kernels->cg_residual(begin, end, scalar(c, scalars, 0), v[0], v[1], v[2]);
       },
       false, false, false, 2},
      {"CGDirection", fixed<read, update, update>, 2,
       [](Call c, Scalars scalars, Row begin, Row end) {
         const auto& v = c.vectors;
         c.kernels->cg_direction(begin, end, scalar(c, scalars, 0), scalar(c, scalars, 1), v[0],
                                 v[1], v[2]);
         return PartialSums{};
       },
       false, false, false},
      {"Copy", fixed<read, write>, 0,
       [](Call c, Scalars, Row begin, Row end) {
         std::copy(c.vectors[0] + begin, c.vectors[0] + end, c.vectors[1] + begin);
         return PartialSums{};
       },
       false, false, false},
      {"LoadFixed", load_accesses<read>, 1, load<T>, false, true, false},
      {"LoadVariable", load_accesses<gather>, 1, load<T>, false, true, true},
      {"Mixed", mixed_accesses, 0,
       [](Call c, Scalars, Row begin, Row end) {
         const int all = static_cast<int>(c.vectors.size());
         c.kernels->mixed(begin, end, c.vectors.data(), c.reads, c.vectors.data() + c.reads,
                          all - c.reads);
         return PartialSums{};
       },
       false, false, false},
  };
  return table;
}

template <class T>
const CpuKernelEntry<T>& find_cpu_kernel(const Step& step) {
  if (step.kind == StepKind::reduce) return reduction<T>;
  const auto table = cpu_kernel_table<T>();
  const auto found = std::ranges::find(table, step.name, &CpuKernelEntry<T>::name);
  if (found == table.end()) {
    std::string known;
    for (const auto& entry : table) known += (known.empty() ? "" : ", ") + std::string(entry.name);
    throw Error("the CPU has no kernel '" + step.name + "'; it has " + known);
  }
  if (step.scalars.size() != static_cast<std::size_t>(found->scalars)) {
    throw Error("kernel '" + step.name + "' got " + std::to_string(step.scalars.size()) +
                " scalars; expected " + std::to_string(found->scalars));
  }
  if (step.sums.size() != static_cast<std::size_t>(found->sums)) {
    throw Error("kernel '" + step.name + "' got " + std::to_string(step.sums.size()) +
                " sums; expected " + std::to_string(found->sums));
  }
  return *found;
}

template std::span<const CpuKernelEntry<float>> cpu_kernel_table<float>();
template std::span<const CpuKernelEntry<double>> cpu_kernel_table<double>();
template const CpuKernelEntry<float>& find_cpu_kernel<float>(const Step& step);
template const CpuKernelEntry<double>& find_cpu_kernel<double>(const Step& step);

}  // namespace sparsecast
