#include "core/mpi/launched_process.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace sparsecast {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  int number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

LaunchedProcess launched_process() {
  struct Variables {
    const char* rank;
    const char* size;
  };
  // Slurm sets its own for every job, also where no MPI is meant: with PMIx's they are a
  // launcher's.
  for (const Variables& each : {Variables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                {"PMI_RANK", "PMI_SIZE"},
                                {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}}) {
    const std::optional<int> rank = number_in(each.rank);
    const std::optional<int> size = number_in(each.size);
    if (rank && size && *size > 1) return {*rank, *size};
  }
  return {};
}

}  // namespace sparsecast
