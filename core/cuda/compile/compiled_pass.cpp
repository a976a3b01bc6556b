#include "core/cuda/compile/compiled_pass.cuh"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/compile/compiled_kernel.cuh"
#include "core/cuda/compile/pass_arguments.cuh"
#include "core/cuda/compile/pass_text.cuh"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/pack.cuh"

namespace sparsecast::cuda {
namespace {

static_assert(PassArguments::most_vectors == most_pass_operands);
static_assert(PassArguments::most_coefficients == most_pass_terms);
static_assert(PassArguments::most_blocks == most_pass_blocks);
static_assert(most_vectors_of_blocks == most_block_vectors && most_block_vectors <= pass_threads &&
              most_block_vectors <= most_linked_block_sums);

/// Beyond so many bytes of operations a text would take seconds to compile.
constexpr std::size_t largest_program = 100'000;
/// Of shared memory, without asking for more.
constexpr std::size_t most_shared_bytes = 40'000;

/// The launches of a pass. How many thread blocks they have is known when its kernel is there.
class PassLaunch {
 public:
  std::shared_ptr<CompiledKernel> kernel;
  PassArguments arguments;
  std::size_t shared_bytes = 0;
  std::int64_t parts = 1;        ///< thread blocks that have something to do
  std::int64_t most_blocks = 1;  ///< 0: any number
  int multiprocessors = 1;
  bool early = false;  ///< blocks may begin while the kernel before ends, as with `launch_early`

  void operator()(cudaStream_t stream) {
    const auto* const function = reinterpret_cast<const void*>(kernel->get());
    if (blocks_ == 0) blocks_ = block_count(function);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks_));
    config.blockDim = dim3(pass_threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    void* all[] = {&arguments};
    SPARSECAST_CUDA_CHECK(cudaLaunchKernelExC(&config, function, all));
  }

 private:
  std::int64_t block_count(const void* function) const {
    if (most_blocks == 0) return parts;
    int at_a_time = 0;
    SPARSECAST_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &at_a_time, function, pass_threads, shared_bytes));
    const std::int64_t resident = std::int64_t{multiprocessors} * std::max(at_a_time, 1);
    return std::min({parts, most_blocks, resident});
  }

  std::int64_t blocks_ = 0;
};

std::vector<std::int16_t> table_of(const PassText& text, const std::vector<ScalarSlot>& sums) {
  std::vector<std::int16_t> table = text.program.slots;
  table.insert(table.end(), text.program.numbers.begin(), text.program.numbers.end());
  for (const std::size_t sum : text.sums) table.push_back(static_cast<std::int16_t>(sums[sum]));
  for (const std::size_t sum : text.sums) {
    const auto place = text.program.places.find(sums[sum]);
    table.push_back(
        static_cast<std::int16_t>(place == text.program.places.end() ? -1 : place->second));
  }
  return table;
}

template <class T>
std::vector<BlockVector> block_vectors_of(const PassText& text, std::span<T* const> vectors) {
  std::vector<BlockVector> all;
  for (const PassText::Block& block : text.blocks) {
    for (std::size_t k = 0; k < block.operands.size(); ++k) {
      BlockVector& made = all.emplace_back();
      made.values = vectors[static_cast<std::size_t>(block.operands[k])];
      if (block.coefficients.empty()) continue;
      made.factor = block.coefficients[k].factor;
      made.scalar = block.coefficients[k].scalar;
    }
  }
  return all;
}

template <class T>
std::int64_t parts_of(const PassTask<T>& task, bool blocks) {
  if (task.step == nullptr) return 1;
  const std::int64_t values = std::int64_t{packs_of(blocks)} * pass_threads * Pack<T>::size;
  return std::max<std::int64_t>(1, (task.size + values - 1) / values);
}

}  // namespace

template <class T>
std::optional<Launch> compile_pass(const PassTask<T>& task,
                                   std::span<const ControlOperation> operations,
                                   const LaunchShape& shape, KernelData& data) {
  if (!can_compile()) return std::nullopt;
  const Step nothing;
  const Step& step = task.step == nullptr ? nothing : *task.step;
  const bool streams = shape.streams<T>(task.size * static_cast<std::int64_t>(step.vectors.size()));
  const PassText text = pass_text(step, precision_of<T>(), operations,
                                  {task.memory.links.count > 1, task.sent, streams});
  if (text.program.text.size() > largest_program) return std::nullopt;
  const std::size_t shared_bytes =
      text.program.slots.size() * sizeof(double) + text.program.numbers.size() * sizeof(short);
  if (shared_bytes > most_shared_bytes) return std::nullopt;

  const auto launch = std::make_shared<PassLaunch>();
  launch->kernel = compiled_kernel(text.text, pass_entry);
  const std::vector<std::int16_t> tables = table_of(text, step.sums);
  const std::vector<BlockVector> block_vectors = block_vectors_of(text, task.vectors);
  PassArguments& arguments = launch->arguments;
  arguments.gate = task.gate;
  arguments.memory = task.memory;
  arguments.size = task.step == nullptr ? 0 : task.size;
  for (std::size_t k = 0; k < text.operands.size(); ++k) {
    arguments.vectors[k] = task.vectors[static_cast<std::size_t>(text.operands[k])];
  }
  for (std::size_t k = 0; k < text.coefficients.size(); ++k) {
    arguments.factors[k] = text.coefficients[k].factor;
    arguments.scalars[k] = static_cast<std::int16_t>(text.coefficients[k].scalar);
  }
  for (std::size_t k = 0; k < text.blocks.size(); ++k) {
    arguments.block_counts[k] = static_cast<int>(text.blocks[k].operands.size());
  }
  arguments.block_vectors = data.add(std::span<const BlockVector>(block_vectors));
  arguments.tables = {
      data.add(std::span<const std::int16_t>(tables)), static_cast<int>(text.program.slots.size()),
      static_cast<int>(text.program.numbers.size()), static_cast<int>(text.sums.size())};
  arguments.partials = task.partials;
  arguments.tickets = task.tickets;
  if (task.sent >= 0) arguments.push = data.add(std::span<const HaloPush<T>>(&task.push, 1));
  launch->shared_bytes = shared_bytes;
  launch->parts = parts_of(task, !text.blocks.empty());
  const bool one_part_each = text.sums.empty() && shape.streams<T>(task.size);
  launch->most_blocks = one_part_each ? 0 : shape.most_finishing_blocks();
  launch->multiprocessors = shape.multiprocessors;
  launch->early = current_capability() >= 90;
  return [launch](cudaStream_t stream) { (*launch)(stream); };
}

template std::optional<Launch> compile_pass(const PassTask<float>&,
                                            std::span<const ControlOperation>, const LaunchShape&,
                                            KernelData&);
template std::optional<Launch> compile_pass(const PassTask<double>&,
                                            std::span<const ControlOperation>, const LaunchShape&,
                                            KernelData&);

}  // namespace sparsecast::cuda
