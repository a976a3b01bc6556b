#include "core/engine/kernel_table.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/error.hpp"
#include "core/schedule/diagonal_blocks.hpp"

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

std::vector<Access> block_accesses(const Step& step, RowOrder) {
  const int rows = block_rows_of(step);
  require_vectors(step, rows >= 1 && rows <= largest_diagonal_block,
                  "1 to " + std::to_string(largest_diagonal_block) + " of blocks, and 2");
  std::vector<Access> accesses(step.vectors.size(), read);
  accesses[accesses.size() - 2] = neighbours;
  accesses.back() = write;
  return accesses;
}

std::vector<Access> accesses_of_pass(const Step& step, RowOrder) {
  std::vector<Access> accesses;
  for (const VectorAccess access : pass_accesses(*step.pass, step.vectors.size())) {
    accesses.push_back(access == VectorAccess::read    ? read
                       : access == VectorAccess::write ? write
                                                       : update);
  }
  return accesses;
}

const KernelSignature reduction{"Red", fixed<read>, 1, 0, false, true};

const KernelSignature table[] = {
    {"SpMV", spmv_accesses, 0, 0, true},
    {"SpMVDot", spmv_accesses, 0, 1, true},
    {"CG1", fixed<read, read, update, write, write, write, write, write>, 0},
    {"CG2", fixed<read, write>, 0},
    {"CG3", fixed<read, read, write>, 0},
    {"CG4", fixed<read, read, read, update, update, write, write>, 1},
    {"CG5", fixed<read, read, update, write, write>, 1},
    {"CGStart", fixed<read, read, read, write, write>, 0, 2},
    {"CGResidual", fixed<read, read, update>, 1, 2},
    {"CGDirection", fixed<read, update, update>, 2},
    {"Copy", fixed<read, write>, 0},
    {"LoadFixed", load_accesses<read>, 1, 0, false, true},
    {"LoadVariable", load_accesses<gather>, 1, 0, false, true, true},
    {"Mixed", mixed_accesses, 0},
    {pass_kernel, accesses_of_pass},
    {block_kernel, block_accesses},
    {block_dot_kernel, block_accesses, 0, 1},
};

}  // namespace

const KernelSignature& find_kernel(const Step& step, std::string_view back_end) {
  if (step.kind == StepKind::reduce) return reduction;
  const auto found = std::ranges::find(table, step.name, &KernelSignature::name);
  if (found == std::end(table)) {
    std::string known;
    for (const auto& entry : table) known += (known.empty() ? "" : ", ") + std::string(entry.name);
    throw Error(std::string(back_end) + " has no kernel '" + step.name + "'; it has " + known);
  }
  if (step.scalars.size() != static_cast<std::size_t>(found->scalars)) {
    throw Error("kernel '" + step.name + "' got " + std::to_string(step.scalars.size()) +
                " scalars; expected " + std::to_string(found->scalars));
  }
  const int sums = step.pass ? dot_count(*step.pass) : found->sums;
  if (step.sums.size() != static_cast<std::size_t>(sums)) {
    throw Error("kernel '" + step.name + "' got " + std::to_string(step.sums.size()) +
                " sums; expected " + std::to_string(sums));
  }
  return *found;
}

}  // namespace sparsecast
