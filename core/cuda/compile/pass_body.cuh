#pragma once

#include <cstdint>

#include "core/cuda/compile/pass_arguments.cuh"
#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/kernel_before.cuh"
#include "core/cuda/device/pack.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/several/link_operations.cuh"
#include "core/cuda/vector/block_finish.cuh"
#include "core/cuda/vector/finish_block.cuh"

/// @file
/// The kernel of a pass that is compiled for it. A `Work` is written by `pass_text` and
/// `program_text`:
/// - `Value`: float or double; `operands`, `reads`, `writes` (a bit each): vectors but for those of
///   blocks; `coefficients`: of terms; `dots`: summed in registers;
/// - `term_vectors`, `dot_vectors`: whether it has blocks of terms, of dot products;
/// - `carry_out(rows, coefficients, blocks, sums)`: the statements;
/// - `together`: whether the loads of a block's terms are under way together;
/// - `several`: whether sums go over several devices;
/// - `sent`: the operand that it sends to other devices, -1: none (then without blocks and sums);
/// - `operates`: whether operations follow; `ends`: whether they end an iteration;
///   `operate(v, p, state, progress, runs)`: they, on scalars at their places `v` with the numbers
///   `p`.
/// Compiled when a schedule is prepared (NVRTC): no header of the host here.

namespace sparsecast::cuda {

inline constexpr int pass_warps = pass_threads / warp_size;

/// The rows of some packs of every operand, which lie the block's threads apart.
template <class T, int operands, int packs_each>
class WorkRows {
 public:
  static constexpr int packs = packs_each;
  static constexpr int width = Pack<T>::size;
  static constexpr int values = packs * width;
  static constexpr int part = packs * pass_threads;  ///< packs of a block at a time

  /// Of part `index`.
  __device__ void go_to(std::int64_t index, std::int64_t size) {
    constexpr std::int64_t rows = std::int64_t{part} * width;
    size_ = size;
    first_ = index * rows + threadIdx.x * width;
    whole_ = (index + 1) * rows <= size;
  }

  /// All rows of the thread block are there.
  __device__ bool is_whole() const { return whole_; }
  __device__ bool is_there(int j) const { return whole_ || row_of(j) < size_; }

  /// Vectors have room behind their last row to read a whole pack. `known_whole`: all are there.
  template <bool known_whole = false>
  __device__ void load(const T* vector, T (&to)[values]) const {
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const std::int64_t row = row_of(p * width);
      Pack<T> pack{};
      if (known_whole || row < size_) pack = *reinterpret_cast<const Pack<T>*>(vector + row);
#pragma unroll
      for (int lane = 0; lane < width; ++lane) to[p * width + lane] = pack.values[lane];
    }
  }

  __device__ void store(T* vector, const T (&from)[values]) const {
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const std::int64_t row = row_of(p * width);
      if (whole_ || row + width <= size_) {
        Pack<T> pack;
#pragma unroll
        for (int lane = 0; lane < width; ++lane) pack.values[lane] = from[p * width + lane];
        *reinterpret_cast<Pack<T>*>(vector + row) = pack;
        continue;
      }
#pragma unroll
      for (int lane = 0; lane < width; ++lane) {
        if (row + lane < size_) vector[row + lane] = from[p * width + lane];
      }
    }
  }

  T v[operands > 0 ? operands : 1][values];

 private:
  __device__ std::int64_t row_of(int value) const {
    return first_ + value / width * pass_threads * width + value % width;
  }

  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
  bool whole_ = false;
};

/// The vectors of all blocks of a pass, with what they are multiplied by, in shared memory.
template <class T>
struct WorkBlocks {
  const T* vectors[most_vectors_of_blocks];
  T coefficients[most_vectors_of_blocks];
  double sums[pass_warps][most_vectors_of_blocks];  ///< of dot products, a warp's own

  /// Adds `count` terms from the block's `first` on. `together`: with all loads of `at_once`
  /// vectors under way before the first is used, which takes registers.
  template <bool together, class Rows>
  __device__ void add_terms(const Rows& rows, int first, int count,
                            T (&totals)[Rows::values]) const {
    if (rows.is_whole()) {
      add_terms<together, true>(rows, first, count, totals);
    } else {
      add_terms<together, false>(rows, first, count, totals);
    }
  }

  /// Adds the parts of `count` dot products with a vector to the sums from `first_sum` on.
  template <class Rows>
  __device__ void add_dots(const Rows& rows, int first, int count, int first_sum,
                           const T (&with)[Rows::values]) {
    if (rows.is_whole()) {
      add_dots<true>(rows, first, count, first_sum, with);
    } else {
      add_dots<false>(rows, first, count, first_sum, with);
    }
  }

 private:
  static constexpr int at_once = 8;  ///< vectors whose loads are under way together

  template <bool together, bool whole, class Rows>
  __device__ void add_terms(const Rows& rows, int first, int count,
                            T (&totals)[Rows::values]) const {
    const int end = first + count;
    int begin = first;
    if constexpr (together) {
#pragma unroll 1
      for (; begin + at_once <= end; begin += at_once) {
        add_some_terms<whole, true>(rows, begin, end, totals);
      }
    }
#pragma unroll 1
    for (; begin < end; begin += at_once) add_some_terms<whole, false>(rows, begin, end, totals);
  }

  /// `all`: there are `at_once`.
  template <bool whole, bool all, class Rows>
  __device__ void add_some_terms(const Rows& rows, int begin, int end,
                                 T (&totals)[Rows::values]) const {
    T vector[at_once][Rows::values];
    load<whole, all>(rows, begin, end, vector);
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (!all && begin + i >= end) continue;
      const T coefficient = coefficients[begin + i];
#pragma unroll
      for (int j = 0; j < Rows::values; ++j) totals[j] += coefficient * vector[i][j];
    }
  }

  template <bool whole, class Rows>
  __device__ void add_dots(const Rows& rows, int first, int count, int first_sum,
                           const T (&with)[Rows::values]) {
    const int thread = static_cast<int>(threadIdx.x);
    const int end = first + count;
#pragma unroll 1
    for (int begin = first; begin < end; begin += at_once) {
      T vector[at_once][Rows::values];
      load<whole, false>(rows, begin, end, vector);
      double products[at_once] = {};
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
#pragma unroll
        for (int j = 0; j < Rows::values; ++j) {
          // A coefficient that is no number makes one of what is not there, too.
          const double product = static_cast<double>(vector[i][j]) * static_cast<double>(with[j]);
          products[i] += whole || rows.is_there(j) ? product : 0;
        }
      }
      const int mine = add_over_warp(products);
      if (mine >= 0 && begin + mine < end) {
        sums[thread / warp_size][begin - first + first_sum + mine] += products[0];
      }
    }
  }

  template <bool whole, bool all, class Rows>
  __device__ void load(const Rows& rows, int begin, int end,
                       T (&vector)[at_once][Rows::values]) const {
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
#pragma unroll
      for (int j = 0; j < Rows::values; ++j) vector[i][j] = 0;
      if (all || begin + i < end) rows.template load<whole>(vectors[begin + i], vector[i]);
    }
  }

  static constexpr int lanes_each = warp_size / at_once;

  /// The sums over a warp of each value, of which some lanes get one each into values[0]: which
  /// one; -1: none.
  static __device__ int add_over_warp(double (&values)[at_once]) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    halve<at_once / 2>(values, lane);
#pragma unroll
    for (int offset = lanes_each / 2; offset > 0; offset /= 2) {
      values[0] += __shfl_xor_sync(whole_warp, values[0], offset);
    }
    return lane % lanes_each == 0 ? lane / lanes_each : -1;
  }

  /// Half of the lanes give half of their values for the other half of the others', and so on.
  template <int half>
  static __device__ void halve(double (&values)[at_once], int lane) {
    if constexpr (half > 0) {
      const bool upper = (lane & (half * lanes_each)) != 0;
#pragma unroll
      for (int i = 0; i < half; ++i) {
        const double given = upper ? values[i] : values[i + half];
        const double kept = upper ? values[i + half] : values[i];
        values[i] = kept + __shfl_xor_sync(whole_warp, given, half * lanes_each);
      }
      halve<half / 2>(values, lane);
    }
  }
};

/// Nothing, in the place of blocks that a pass has not.
struct NoBlocks {};

template <class T, bool there>
struct BlocksOf {
  using Type = NoBlocks;
};
template <class T>
struct BlocksOf<T, true> {
  using Type = WorkBlocks<T>;
};

/// The end of a pass, by the last thread block of its grid. Which one that is nobody knows before:
/// every block has what the end begins with on its way early.
template <class Work>
class WorkEnd {
 public:
  /// Before the kernel before has ended.
  __device__ explicit WorkEnd(const PassArguments& a) : a_(a), links_(a.memory.links) {
    const int thread = static_cast<int>(threadIdx.x);
    const PassTables& tables = a.tables;
    if constexpr (Work::operates) {
      if (thread < tables.locals) slot_ = __ldg(tables.all + thread);
      if (thread < tables.numbers) number_ = __ldg(tables.all + tables.locals + thread);
    }
    if constexpr (Work::dots > 0) {
      // Thread 0 has all of them.
#pragma unroll
      for (int k = 0; k < Work::dots; ++k) targets_[k] = target_of(k);
    }
    if constexpr (Work::dot_vectors) {
      if (thread < tables.sums - Work::dots) block_target_ = target_of(Work::dots + thread);
    }
  }
  /// When it has.
  __device__ void load() {
    if (Work::operates && slot_ >= 0) scalar_ = __ldcg(a_.memory.scalars + slot_);
    if constexpr (Work::ends) {
      progress_ = {__ldcg(&a_.memory.state->iterations), __ldcg(&a_.memory.state->limit)};
    }
  }

  /// `summed`: the dot products are there; without, their scalars stay as they are.
  __device__ void carry_out(bool summed) {
    extern __shared__ double scalars[];
    auto* numbers = reinterpret_cast<std::int16_t*>(scalars + a_.tables.locals);
    const int thread = static_cast<int>(threadIdx.x);
    const std::int16_t* table = a_.tables.all;
    SumTurn turn;
    if constexpr (Work::several && Work::dots + Work::dot_vectors > 0) turn = next_sum(links_);
    if constexpr (Work::operates) {
#pragma unroll 1
      for (int i = thread + pass_threads; i < a_.tables.locals; i += pass_threads) {
        scalars[i] = __ldcg(a_.memory.scalars + __ldg(table + i));
      }
      if (slot_ >= 0) scalars[thread] = scalar_;
#pragma unroll 1
      for (int i = thread + pass_threads; i < a_.tables.numbers; i += pass_threads) {
        numbers[i] = __ldg(table + a_.tables.locals + i);
      }
      if (thread < a_.tables.numbers) numbers[thread] = number_;
    }
    bool complete = true;
    if (summed) complete = add_sums(turn, scalars);
    __syncthreads();
    if (thread == 0) {
      *a_.tickets = 0;
      if constexpr (Work::operates) {
        if (complete) {
          Work::operate(scalars, numbers, *a_.memory.state, progress_, a_.memory.runs);
        }
      }
    }
    if constexpr (Work::operates) {
      __syncthreads();
      if (slot_ >= 0) a_.memory.scalars[slot_] = scalars[thread];
#pragma unroll 1
      for (int i = thread + pass_threads; i < a_.tables.locals; i += pass_threads) {
        a_.memory.scalars[__ldg(table + i)] = scalars[i];
      }
    }
  }

 private:
  /// Of thread 0: whether the sums are those of all devices.
  __device__ bool add_sums(SumTurn turn, double* scalars) {
    bool complete = true;
    if constexpr (Work::dots > 0) {
      double sums[Work::dots] = {};
      BlockFinish parts;
      parts.partials = a_.partials;
      parts.parts = gridDim.x;
      // One block alone carries this out and has to fetch it: of several sums fewer loads at a time
      // are faster (an H200: 10^4 rows, two sums 1.5 us less an iteration than with eight).
      constexpr int at_once = Work::dots == 1 ? 8 : Work::dots == 2 ? 4 : 2;
      add_written_parts<pass_threads, at_once>(parts, sums);
      block_sums<pass_threads>(sums);
      if constexpr (Work::several) {
        if (threadIdx.x < warp_size) complete = add_over_devices(links_, turn, sums);
        ++turn.tag;
      }
      if (threadIdx.x == 0 && complete) {
#pragma unroll
        for (int k = 0; k < Work::dots; ++k) put(targets_[k], sums[k], scalars);
      }
    }
    if constexpr (Work::dot_vectors) complete = add_block_sums(turn, scalars) && complete;
    return complete;
  }

  /// Those of blocks, which all threads put where they belong.
  __device__ bool add_block_sums(SumTurn turn, double* scalars) {
    __shared__ double totals[most_vectors_of_blocks];
    const int thread = static_cast<int>(threadIdx.x);
    const int count = a_.tables.sums - Work::dots;
    add_block_parts(count, totals);
    __syncthreads();
    bool complete = true;
    if constexpr (Work::several) complete = add_over_devices(links_, turn, count, totals);
    if (complete && thread < count) put(block_target_, totals[thread], scalars);
    return complete;
  }

  /// A warp takes some sums at a time.
  __device__ void add_block_parts(int count, double* totals) const {
    constexpr int each = 4;
    constexpr int at_once = 4;
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % warp_size;
    const int blocks = static_cast<int>(gridDim.x);
    const double* parts = a_.partials + Work::dots * static_cast<std::int64_t>(blocks);
#pragma unroll 1
    for (int first = thread / warp_size * each; first < count; first += pass_warps * each) {
      double sums[each] = {};
#pragma unroll 1
      for (int i = lane; i < blocks; i += at_once * warp_size) {
        double part[each][at_once];
#pragma unroll
        for (int k = 0; k < each; ++k) {
#pragma unroll
          for (int n = 0; n < at_once; ++n) {
            const int index = i + n * warp_size;
            const bool there = first + k < count && index < blocks;
            part[k][n] =
                there ? __ldcg(parts + (first + k) * static_cast<std::int64_t>(blocks) + index) : 0;
          }
        }
#pragma unroll
        for (int k = 0; k < each; ++k) {
#pragma unroll
          for (int n = 0; n < at_once; ++n) sums[k] += part[k][n];
        }
      }
#pragma unroll
      for (int k = 0; k < each; ++k) {
#pragma unroll
        for (int offset = warp_size / 2; offset > 0; offset /= 2) {
          sums[k] += __shfl_down_sync(whole_warp, sums[k], offset);
        }
        if (lane == 0 && first + k < count) totals[first + k] = sums[k];
      }
    }
  }

  /// Where a sum goes: its place among the locals, or, from -1 down, its slot.
  __device__ int target_of(int sum) const {
    const std::int16_t* slots = a_.tables.all + a_.tables.locals + a_.tables.numbers;
    const int place = __ldg(slots + a_.tables.sums + sum);
    return place >= 0 ? place : -1 - __ldg(slots + sum);
  }
  __device__ void put(int target, double value, double* scalars) const {
    if (target >= 0) {
      scalars[target] = value;
    } else {
      a_.memory.scalars[-1 - target] = value;
    }
  }

  const PassArguments& a_;
  const DeviceLinks& links_;
  int slot_ = -1;  ///< of this thread's scalar; negative: none
  double scalar_ = 0;
  RunProgress progress_;
  std::int16_t number_ = 0;  ///< this thread's
  int targets_[Work::dots > 0 ? Work::dots : 1];
  int block_target_ = 0;  ///< of this thread's sum of blocks
};

template <class Work>
__device__ void carry_out_work(const PassArguments& a) {
  using T = typename Work::Value;
  constexpr bool blocks = Work::term_vectors || Work::dot_vectors;
  constexpr bool sums_up = Work::dots > 0 || Work::dot_vectors;
  using Blocks = typename BlocksOf<T, blocks>::Type;
  using Rows = WorkRows<T, Work::operands, packs_of(blocks)>;
  __shared__ Blocks shared;
  const int thread = static_cast<int>(threadIdx.x);
  int block_vectors = 0;
  BlockVector block{};
  if constexpr (blocks) {
    for (const int count : a.block_counts) block_vectors += count;
    if (thread < block_vectors) block = a.block_vectors[thread];
#pragma unroll 1
    for (int i = thread; i < pass_warps * most_vectors_of_blocks; i += pass_threads) {
      shared.sums[i / most_vectors_of_blocks][i % most_vectors_of_blocks] = 0;
    }
  }
  const std::int64_t parts = (a.size + Rows::part * Rows::width - 1) / (Rows::part * Rows::width);
  Rows rows;
  const auto load = [&](std::int64_t index) {
    rows.go_to(index, a.size);
#pragma unroll
    for (int k = 0; k < Work::operands; ++k) {
      if ((Work::reads >> k & 1) != 0) rows.load(static_cast<const T*>(a.vectors[k]), rows.v[k]);
    }
  };
  using Sender = PartSender<T, pass_threads, (Work::sent >= 0)>;
  const auto* const push = static_cast<const HaloPush<T>*>(a.push);
  static_assert(pass_threads == fused_threads && packs_of(false) == fused_packs);
  static_assert(Work::sent < 0 || (Work::operates && !sums_up && !blocks));
  WorkEnd<Work> end(a);
  wait_for_kernel_before();
  end.load();
  // Under way while the gate is asked.
  if (blockIdx.x < parts) load(Sender::part_of(push, blockIdx.x, parts));
  double scalars[Work::coefficients > 0 ? Work::coefficients : 1];
#pragma unroll
  for (int k = 0; k < Work::coefficients; ++k) {
    scalars[k] = a.scalars[k] < 0 ? 1 : a.gate.scalars[a.scalars[k]];
  }
  double block_scalar = 1;
  if (blocks && thread < block_vectors && block.scalar >= 0) {
    block_scalar = a.gate.scalars[block.scalar];
  }
  const bool goes = enters(a.gate, [](std::int64_t& runs) { count_run(runs); });
  // What follows the pass runs also where the pass does not.
  if (!goes && a.gate.state->ended != 0) return;
  T coefficients[Work::coefficients > 0 ? Work::coefficients : 1];
#pragma unroll
  for (int k = 0; k < Work::coefficients; ++k) {
    coefficients[k] = static_cast<T>(a.factors[k] * scalars[k]);
  }
  if constexpr (blocks) {
    if (thread < block_vectors) {
      shared.vectors[thread] = static_cast<const T*>(block.values);
      shared.coefficients[thread] = static_cast<T>(block.factor * block_scalar);
    }
  }
  const Sender sender(push);
  int earlier = 0;
  if constexpr (Work::operates && !sums_up) {
    __syncthreads();  // all of the block have read what the operations change
    if (thread == 0) earlier = take_ticket(a.tickets);  // on its way beside the work
  } else if constexpr (blocks) {
    __syncthreads();
  }
  if (goes) {
    double sums[Work::dots > 0 ? Work::dots : 1] = {};
#pragma unroll 1
    for (std::int64_t place = blockIdx.x; place < parts; place += gridDim.x) {
      const std::int64_t index = Sender::part_of(push, place, parts);
      if (place != blockIdx.x) load(index);
      Work::carry_out(rows, coefficients, shared, a.block_counts, sums);
#pragma unroll
      for (int k = 0; k < Work::operands; ++k) {
        if ((Work::writes >> k & 1) != 0) rows.store(static_cast<T*>(a.vectors[k]), rows.v[k]);
      }
      if constexpr (Work::sent >= 0) {
        sender.send_with_rest(index, parts, a.size, static_cast<const T*>(a.vectors[Work::sent]));
      }
    }
    if constexpr (Work::dots > 0) {
      block_sums<pass_threads>(sums);
      if (thread == 0) {
#pragma unroll
        for (int k = 0; k < Work::dots; ++k) a.partials[k * gridDim.x + blockIdx.x] = sums[k];
      }
    }
    if constexpr (Work::dot_vectors) {
      __syncthreads();
      const int count = a.tables.sums - Work::dots;
      if (thread < count) {
        double sum = 0;
#pragma unroll
        for (int warp = 0; warp < pass_warps; ++warp) sum += shared.sums[warp][thread];
        a.partials[(Work::dots + thread) * static_cast<std::int64_t>(gridDim.x) + blockIdx.x] = sum;
      }
    }
  }
  if constexpr (sums_up) {
    if ((goes || Work::operates) && last_block(a.tickets)) end.carry_out(goes);
  } else if constexpr (Work::operates) {
    if (is_last_ticket(earlier)) {
      if (thread == 0) sender.end_turn();
      end.carry_out(false);
    }
  }
}

}  // namespace sparsecast::cuda
