#include "core/cuda/vector/pass_kernel.cuh"

#include <algorithm>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/cuda/vector/pass_rows.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int threads = fused_threads;
constexpr int packs = fused_packs;

/// Each block takes a part of `packs * threads` packs at a time, with the grid's stride.
template <class T, int operands, int dots>
__global__ void __launch_bounds__(threads)
    carry_out_pass(Gate gate, const __grid_constant__ DevicePass<T, operands> pass,
                   const __grid_constant__ BlockFinish finish,
                   const __grid_constant__ HaloPush<T> push, T* sent, std::int64_t size) {
  static_assert(threads >= most_pass_terms && most_pass_terms >= most_pass_statements);
  constexpr int part = packs * threads;
  __shared__ DevicePassStatement statements[most_pass_statements];
  __shared__ ValuedTerm<T> terms[most_pass_terms];
  const auto first_of = [](std::int64_t index) { return index * part + threadIdx.x; };
  const std::int64_t parts = (size + part * Pack<T>::size - 1) / (part * Pack<T>::size);
  const int thread = static_cast<int>(threadIdx.x);
  // What is to be done is in memory that takes a while to reach: while the kernel in front runs.
  DevicePassTerm term{};
  if (thread < pass.term_count) term = pass.terms[thread];
  if (thread < pass.statement_count) statements[thread] = pass.statements[thread];
  PassRows<T, operands, packs, threads> rows;
  wait_for_kernel_before();
  // Under way while the gate is asked.
  using Sender = PartSender<T, threads, dots == 0>;
  const auto part_of = [&](std::int64_t place) { return Sender::part_of(&push, place, parts); };
  if (blockIdx.x < parts) rows.load(pass, first_of(part_of(blockIdx.x)), size);
  if (thread < pass.term_count) {
    const double scalar = term.scalar < 0 ? 1 : gate.scalars[term.scalar];
    terms[thread] = {static_cast<T>(term.factor * scalar), term.operand, term.times};
  }
  if (!enters(gate)) return;
  __syncthreads();
  const Sender sender(&push);
  if constexpr (dots == 0) {
    if (finish.active() && last_block(finish.tickets)) {
      if (thread == 0) sender.end_turn();
      end_kernel<threads>(finish);
    }
  }
  double sums[dots > 0 ? dots : 1] = {};
  for (std::int64_t place = blockIdx.x; place < parts; place += gridDim.x) {
    const std::int64_t index = part_of(place);
    if (place != blockIdx.x) rows.load(pass, first_of(index), size);
    rows.carry_out(pass.statement_count, statements, terms, size, sums);
    rows.store(pass, size);
    sender.send_with_rest(index, parts, size, sent);
  }
  if constexpr (dots > 0) {
    if (finish.active()) finish_block<threads>(finish, sums);
  }
}

template <class T, int operands>
DevicePass<T, operands> device_pass(const Step& step, std::span<T* const> vectors) {
  DevicePass<T, operands> made{};
  std::ranges::copy(vectors, made.vectors);
  const auto accesses = pass_accesses(*step.pass, vectors.size());
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    if (accesses[k] != VectorAccess::write) made.reads |= 1u << k;
    if (accesses[k] != VectorAccess::read) made.writes |= 1u << k;
  }
  const auto narrow = [](auto value) { return static_cast<std::int8_t>(value); };
  for (const PassStatement& statement : step.pass->statements) {
    made.statements[made.statement_count++] = {narrow(statement.target), narrow(statement.a),
                                               narrow(statement.b), narrow(statement.terms.size())};
    for (const PassTerm& term : statement.terms) {
      made.terms[made.term_count++] = {term.factor, term.scalar, narrow(term.operand),
                                       narrow(term.times)};
    }
  }
  return made;
}

template <class T, int operands, int dots>
Launch launch_of(const Step& step, std::span<T* const> vectors, std::int64_t size, const Gate& gate,
                 const BlockFinish& finish, const LaunchShape& shape, const HaloPush<T>& push,
                 int sent) {
  const auto pass = device_pass<T, operands>(step, vectors);
  const auto kernel = carry_out_pass<T, operands, dots>;
  const std::int64_t values = Pack<T>::size * packs * threads;
  const std::int64_t parts = std::max<std::int64_t>(1, (size + values - 1) / values);
  const bool streams = dots == 0 && shape.streams<T>(size);
  const std::int64_t blocks =
      streams ? parts
              : std::min({parts, resident_blocks(kernel, threads), shape.most_finishing_blocks()});
  BlockFinish complete = finish;
  complete.parts = blocks;
  return [=, sent = vectors[static_cast<std::size_t>(sent)]](cudaStream_t stream) {
    launch_early(kernel, static_cast<unsigned>(blocks), threads, stream, gate, pass, complete, push,
                 sent, size);
  };
}

template <class T, int operands>
Launch launch_with_sums(const Step& step, std::span<T* const> vectors, std::int64_t size,
                        const Gate& gate, const BlockFinish& finish, const LaunchShape& shape,
                        const HaloPush<T>& push, int sent) {
  switch (pass_sums(dot_count(*step.pass))) {
    case 0:
      return launch_of<T, operands, 0>(step, vectors, size, gate, finish, shape, push, sent);
    case 1:
      return launch_of<T, operands, 1>(step, vectors, size, gate, finish, shape, push, sent);
    case 2:
      return launch_of<T, operands, 2>(step, vectors, size, gate, finish, shape, push, sent);
    default:
      return launch_of<T, operands, 4>(step, vectors, size, gate, finish, shape, push, sent);
  }
}

}  // namespace

int pass_sums(int dots) {
  return dots == 3 ? 4 : dots;
}

template <class T>
Launch pass_launch(const Step& step, std::span<T* const> vectors, std::int64_t size,
                   const Gate& gate, const BlockFinish& finish, const LaunchShape& shape,
                   const HaloPush<T>& push, int sent) {
  const std::size_t operands = vectors.size();
  const auto make = operands <= 4 ? launch_with_sums<T, 4> : launch_with_sums<T, 8>;
  return make(step, vectors, size, gate, finish, shape, push, sent);
}

template Launch pass_launch(const Step&, std::span<float* const>, std::int64_t, const Gate&,
                            const BlockFinish&, const LaunchShape&, const HaloPush<float>&, int);
template Launch pass_launch(const Step&, std::span<double* const>, std::int64_t, const Gate&,
                            const BlockFinish&, const LaunchShape&, const HaloPush<double>&, int);

}  // namespace sparsecast::cuda
