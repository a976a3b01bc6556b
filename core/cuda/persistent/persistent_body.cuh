#pragma once

#include <cstdint>

#include "core/cuda/device/warp.cuh"
#include "core/cuda/persistent/persistent_arguments.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/workload/persistent_steps.hpp"

/// @file
/// What kernels are made of that run all iterations of a schedule, which `persistent_text` writes.
/// Compiled when a schedule is prepared (NVRTC): no header of the host here.

namespace sparsecast::cuda {

inline constexpr int most_warps = most_persistent_threads / warp_size;

// --- packets ---

inline __device__ void store(SumPacket* to, std::uint64_t first, std::uint64_t second) {
  asm volatile(
      "{.reg .b128 packet; mov.b128 packet, {%1, %2}; st.relaxed.gpu.global.b128 [%0], packet;}" ::
          "l"(to),
      "l"(first), "l"(second)
      : "memory");
}

/// Loads only `if_needed`, and else leaves the packet as it is.
inline __device__ void load(SumPacket& packet, const SumPacket* from, bool if_needed) {
  asm volatile(
      "{.reg .b128 packet; .reg .pred needed; setp.ne.u32 needed, %3, 0;"
      " @needed ld.relaxed.gpu.global.b128 packet, [%2];"
      " @needed mov.b128 {%0, %1}, packet;}"
      : "+l"(packet.first), "+l"(packet.second)
      : "l"(from), "r"(static_cast<int>(if_needed))
      : "memory");
}

inline __device__ void store(HaloPacket<double>* to, double value, std::uint64_t tag) {
  store(reinterpret_cast<SumPacket*>(to), static_cast<std::uint64_t>(__double_as_longlong(value)),
        tag);
}

inline __device__ void load(HaloPacket<double>& packet, const HaloPacket<double>* from,
                            bool if_needed) {
  SumPacket both{static_cast<std::uint64_t>(__double_as_longlong(packet.value)), packet.tag};
  load(both, reinterpret_cast<const SumPacket*>(from), if_needed);
  packet = {__longlong_as_double(static_cast<long long>(both.first)), both.second};
}

inline __device__ void store(HaloPacket<float>* to, float value, std::uint64_t tag) {
  const std::uint64_t packet = static_cast<std::uint64_t>(__float_as_uint(value)) |
                               static_cast<std::uint32_t>(tag) * (std::uint64_t{1} << 32);
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(to), "l"(packet) : "memory");
}

inline __device__ void load(HaloPacket<float>& packet, const HaloPacket<float>* from,
                            bool if_needed) {
  std::uint64_t both = static_cast<std::uint64_t>(__float_as_uint(packet.value)) |
                       packet.tag * (std::uint64_t{1} << 32);
  asm volatile(
      "{.reg .pred needed; setp.ne.u32 needed, %2, 0;"
      " @needed ld.relaxed.gpu.global.b64 %0, [%1];}"
      : "+l"(both)
      : "l"(from), "r"(static_cast<int>(if_needed))
      : "memory");
  packet = {__uint_as_float(static_cast<std::uint32_t>(both)),
            static_cast<std::uint32_t>(both >> 32)};
}

// --- clusters, whose blocks reach each other's shared memory. GPUs before compute capability 9.0
// have none; no kernel is made for them there. ---

inline __device__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}

inline __device__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/// A place in the shared memory of another block.
template <class T>
__device__ T* of_block(T* here, int block) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(block));
  return there;
}

// --- sums over all blocks ---

/// In all lanes, and of the same bits there.
inline __device__ double warp_sum(double value) {
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(whole_warp, value, offset);
  }
  return value;
}

/// Sums of all thread blocks, which wait for each other, again and again.
template <int most_sums, bool clustered>
class GridSums {
 public:
  __device__ explicit GridSums(SumPacket* packets) : packets_(packets) {}

  /// Every warp leaves its share; after the next barrier of the block `totals` adds them.
  template <int count>
  __device__ void leave(const double (&values)[count]) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const double sum = warp_sum(values[k]);
      if (threadIdx.x % warp_size == 0) shares()[k][threadIdx.x / warp_size] = sum;
    }
  }

  /// By the first warp, while the others `arrive` and `wait`: sums over the block's shares,
  /// published, then over what all blocks published, in an order that depends on nothing. All its
  /// lanes get the totals.
  template <int count>
  __device__ void totals(double (&totals)[count]) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warps = static_cast<int>(blockDim.x) / warp_size;
    ++waits_;
#pragma unroll
    for (int k = 0; k < count; ++k) totals[k] = warp_sum(lane < warps ? shares()[k][lane] : 0);
    if constexpr (clustered) {
      add_up_cluster(totals, lane);
    } else {
      if (gridDim.x > 1) add_up_grid(totals, lane);
    }
  }

  __device__ void arrive() {
    if constexpr (clustered) cluster_arrive();
  }
  __device__ void wait() {
    if constexpr (clustered) cluster_wait();
  }

 private:
  using Shares = double[most_warps];
  using Received = double[most_sums][most_cluster_blocks];

  static __device__ Shares* shares() {
    __shared__ double all[most_sums][most_warps];
    return all;
  }
  static __device__ Received* received() {
    __shared__ double all[packet_turns][most_sums][most_cluster_blocks];
    return all;
  }

  template <int count>
  __device__ void add_up_cluster(double (&totals)[count], int lane) {
    const int blocks = static_cast<int>(gridDim.x);
    auto& here = received()[waits_ % packet_turns];
    if (lane < blocks) {
#pragma unroll
      for (int k = 0; k < count; ++k) *of_block(&here[k][blockIdx.x], lane) = totals[k];
    }
    __syncwarp();
    cluster_arrive();
    cluster_wait();
#pragma unroll
    for (int k = 0; k < count; ++k) totals[k] = warp_sum(lane < blocks ? here[k][lane] : 0);
  }

  /// A packet's lowest 8 bits are those of the tag; a second sum loses as many to it.
  template <int count>
  __device__ void add_up_grid(double (&totals)[count], int lane) {
    constexpr int packets = (count + sums_of_packet - 1) / sums_of_packet;
    constexpr std::uint64_t tag_bits = 0xff;
    const int blocks = static_cast<int>(gridDim.x);
    const std::uint64_t our_tag = static_cast<std::uint64_t>(waits_) & tag_bits;
    constexpr int most_packets = (most_sums + sums_of_packet - 1) / sums_of_packet;
    SumPacket* const turn = packets_ + static_cast<std::int64_t>(waits_ % packet_turns) *
                                           most_packets * sum_copies * blocks;
    if (lane < sum_copies) {
#pragma unroll
      for (int p = 0; p < packets; ++p) {
        std::uint64_t second = our_tag;
        if (2 * p + 1 < count) second |= __double_as_longlong(totals[2 * p + 1]) & ~tag_bits;
        store(turn + (p * sum_copies + lane) * blocks + blockIdx.x,
              static_cast<std::uint64_t>(__double_as_longlong(totals[2 * p])), second);
      }
    }
    const SumPacket* const from = turn + static_cast<int>(blockIdx.x) % sum_copies * blocks;
#pragma unroll
    for (int k = 0; k < count; ++k) totals[k] = 0;
    constexpr int at_once = 5;  // 132 multiprocessors in one go
    for (int first = lane; first < blocks; first += at_once * warp_size) {
      SumPacket got[packets][at_once];
#pragma unroll
      for (int p = 0; p < packets; ++p) {
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          // There is nothing to wait for behind the last.
          got[p][i] = {0, first + i * warp_size < blocks ? ~our_tag : our_tag};
        }
      }
      bool missing;
      do {
        missing = false;
#pragma unroll
        for (int p = 0; p < packets; ++p) {
#pragma unroll
          for (int i = 0; i < at_once; ++i) {
            load(got[p][i], from + p * sum_copies * blocks + first + i * warp_size,
                 (got[p][i].second & tag_bits) != our_tag);
          }
        }
#pragma unroll
        for (int p = 0; p < packets; ++p) {
#pragma unroll
          for (int i = 0; i < at_once; ++i) {
            missing = missing || (got[p][i].second & tag_bits) != our_tag;
          }
        }
      } while (missing);
#pragma unroll
      for (int p = 0; p < packets; ++p) {
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          totals[2 * p] += __longlong_as_double(static_cast<long long>(got[p][i].first));
          if (2 * p + 1 < count) {
            totals[2 * p + 1 < count ? 2 * p + 1 : 0] +=
                __longlong_as_double(static_cast<long long>(got[p][i].second & ~tag_bits));
          }
        }
      }
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < count; ++k) totals[k] = warp_sum(totals[k]);
  }

  SumPacket* packets_;
  int waits_ = 0;
};

// --- where a block finds what it works on ---

/// Generic pointers, to shared memory where it fits.
template <class T, int vectors>
struct Place {
  T* vector[vectors];
  const std::int32_t* halo;
  const std::uint8_t* exported;
  const PersistentSlice* slices;
  const PersistentSlot* slots;
  const PersistentSplit* splits;
};

template <class T>
__device__ T* resident_or(char* shared, std::int32_t at, T* elsewhere) {
  return at >= 0 ? reinterpret_cast<T*>(shared + at) : elsewhere;
}

/// Copies to shared memory, if there is a place, by all threads.
template <class T>
__device__ void keep(char* shared, std::int32_t at, const T* from, std::int64_t count) {
  if (at < 0) return;
#pragma unroll 1
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    reinterpret_cast<T*>(shared + at)[i] = from[i];
  }
}

/// Of lists, by thread 0.
template <class T, class Place>
__device__ void find_lists(const PersistentStorage<T>& a, const PersistentSegment& segment,
                           char* shared, Place& place) {
  place.halo = resident_or(shared, segment.halo_at, a.halo_columns + segment.halo_begin);
  place.exported = resident_or(shared, segment.exported_at, a.exported + segment.first_row);
  place.slices = resident_or(shared, segment.slices_at, a.slices + segment.slice_begin);
  place.slots = resident_or(shared, segment.slots_at, a.slots + segment.slot_begin);
  place.splits = resident_or(shared, segment.splits_at, a.splits + segment.split_begin);
}

/// What stays of the matrix in shared memory, by all threads.
template <int N, class T>
__device__ void keep_matrix(const PersistentStorage<T>& a, const PersistentSegment& segment,
                            char* shared) {
  keep(shared, segment.halo_at, a.halo_columns + segment.halo_begin, segment.halo);
  keep(shared, segment.exported_at, a.exported + segment.first_row, segment.own);
  keep(shared, segment.slices_at, a.slices + segment.slice_begin, segment.slices + 1);
  keep(shared, segment.slots_at, a.slots + segment.slot_begin, segment.slots);
  keep(shared, segment.splits_at, a.splits + segment.split_begin, segment.splits);
  keep(shared, segment.values_at,
       reinterpret_cast<const int4*>(a.values + segment.step_begin * (N * N * warp_size)),
       segment.resident_steps * std::int64_t{N * N * warp_size * sizeof(T) / 16});
  keep(shared, segment.columns_at,
       reinterpret_cast<const int4*>(a.columns + segment.step_begin * warp_size),
       segment.resident_steps * std::int64_t{warp_size * 2 / 16});
}

// --- multiplication ---

/// Where the steps of a slice are.
enum class StepSource {
  shared,  ///< in shared memory
  cached,  ///< in global memory, small enough to stay in the L2 cache
  passing  ///< in global memory, not to drive out what stays
};

template <StepSource source, class T>
__device__ T load_matrix(const T* from, std::uint64_t policy) {
  if constexpr (source == StepSource::shared) {
    return *from;
  } else if constexpr (source == StepSource::cached) {
    return __ldg(from);
  } else {
    T value;
    if constexpr (sizeof(T) == 8) {
      asm("ld.global.nc.L1::no_allocate.L2::cache_hint.f64 %0, [%1], %2;"
          : "=d"(value)
          : "l"(from), "l"(policy));
    } else {
      asm("ld.global.nc.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;"
          : "=f"(value)
          : "l"(from), "l"(policy));
    }
    return value;
  }
}

/// Adds up `most` steps, whose loads are under way at once. `all`: every one is there; else the
/// first `left`.
template <int N, StepSource source, int most, bool all, class T>
__device__ void multiply_batch(T (&sums)[N], const T* values, const std::uint16_t* columns,
                               int left, const T* window, std::uint64_t policy) {
  T block[most][N * N] = {};
  int column[most] = {};
#pragma unroll
  for (int k = 0; k < most; ++k) {
    if (!all && k >= left) continue;
    column[k] = columns[k * warp_size];
#pragma unroll
    for (int i = 0; i < N * N; ++i) {
      block[k][i] = load_matrix<source>(values + (k * N * N + i) * warp_size, policy);
    }
  }
  T input[most][N] = {};
#pragma unroll
  for (int k = 0; k < most; ++k) {
    if (!all && k >= left) continue;
#pragma unroll
    for (int j = 0; j < N; ++j) input[k][j] = window[column[k] * N + j];
  }
#pragma unroll
  for (int k = 0; k < most; ++k) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        // Fused, as in the kernels that are compiled ahead of time.
        if constexpr (sizeof(T) == 8) {
          sums[i] = __fma_rn(block[k][i * N + j], input[k][j], sums[i]);
        } else {
          sums[i] = __fmaf_rn(block[k][i * N + j], input[k][j], sums[i]);
        }
      }
    }
  }
}

/// Sums of a lane over the steps [step, end) of a slice.
template <int N, StepSource source, class T>
__device__ void multiply_steps(T (&sums)[N], const T* values, const std::uint16_t* columns,
                               std::uint32_t step, std::uint32_t end, const T* window) {
  constexpr int at_once = (N == 1 ? steps_at_once_of_values : steps_at_once_of_blocks) *
                          (source == StepSource::shared ? 1 : more_steps_at_once);
  std::uint64_t policy = 0;
  if constexpr (source == StepSource::passing) {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  values += std::int64_t{step} * (N * N * warp_size) + lane;
  columns += step * warp_size + lane;
  int left = static_cast<int>(end - step);
  const auto multiply = [&]<int most, bool all>() {
    multiply_batch<N, source, most, all>(sums, values, columns, left, window, policy);
    left -= most;
    values += most * N * N * warp_size;
    columns += most * warp_size;
  };
  // Batches that ask of no step whether it is there take up to 19 % less of an iteration. For
  // blocks that hardly fit in registers the compiler would load one value after the other: 2.6
  // times as long.
  constexpr bool spills = N * N * at_once * sizeof(T) > 128;
  if constexpr (spills) {
#pragma unroll 1
    while (left > 0) multiply.template operator()<at_once, false>();
  } else {
#pragma unroll 1
    while (left >= at_once) multiply.template operator()<at_once, true>();
    if constexpr (at_once > 1) {
      if (left > 0) multiply.template operator()<at_once - 1, false>();
    }
  }
}

/// output = A * window for the block's rows; a barrier must precede it, and follow it before other
/// threads read the output. Returns the share of this thread in output . window, if it is asked
/// for.
template <int N, bool with_dot, class T, class Place>
__device__ double multiply(const PersistentStorage<T>& a, const PersistentSegment& segment,
                           const Place& place, char* shared, const T* window, T* output) {
  T* const pieces = reinterpret_cast<T*>(shared + segment.pieces_at);
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  const T* resident_values = reinterpret_cast<const T*>(shared + segment.values_at);
  const auto* resident_columns =
      reinterpret_cast<const std::uint16_t*>(shared + segment.columns_at);
  const T* values = a.values + segment.step_begin * (N * N * warp_size);
  const std::uint16_t* columns = a.columns + segment.step_begin * warp_size;
  double dot = 0;
  // What comes from global memory first: last slices first.
  for (int k = segment.slices - 1 - static_cast<int>(threadIdx.x) / warp_size; k >= 0; k -= warps) {
    T sums[N] = {};
    const PersistentSlice slice = place.slices[k];
    const std::uint32_t end = place.slices[k + 1].step;
    const int lanes = 1 << (slice.packed % 8);
    const PersistentSlot slot = place.slots[slice.packed / 8 + (lane >> (slice.packed % 8))];
    if (k < segment.resident_slices) {
      multiply_steps<N, StepSource::shared>(sums, resident_values, resident_columns, slice.step,
                                            end, window);
    } else if (k < segment.cached_slices) {
      multiply_steps<N, StepSource::cached>(sums, values, columns, slice.step, end, window);
    } else {
      multiply_steps<N, StepSource::passing>(sums, values, columns, slice.step, end, window);
    }
    for (int offset = lanes / 2; offset > 0; offset /= 2) {
#pragma unroll
      for (int i = 0; i < N; ++i) sums[i] += __shfl_xor_sync(whole_warp, sums[i], offset);
    }
    if (lane % lanes != 0 || slot.piece == 0xffff) continue;
    T* const to = slot.piece == 0 ? output + slot.row * N : pieces + (slot.piece - 1) * N;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int local = slot.row * N + i;
      if (local >= segment.rows) break;
      to[i] = sums[i];
      if constexpr (with_dot) {
        dot += static_cast<double>(sums[i]) * static_cast<double>(window[local]);
      }
    }
  }
  return dot;
}

/// Completes the output where rows are in pieces; thread `first` of `stride`. A barrier must
/// precede it.
template <int N, class T, class Place>
__device__ void add_pieces(const PersistentSegment& segment, const Place& place, char* shared,
                           T* output, int first, int stride) {
  const T* const pieces = reinterpret_cast<const T*>(shared + segment.pieces_at);
#pragma unroll 1
  for (int k = first; k < segment.splits * N; k += stride) {
    const PersistentSplit split = place.splits[k / N];
    const int local = split.row * N + k % N;
    if (local >= segment.rows) continue;
    T sum = 0;
    for (int piece = 0; piece < split.pieces; ++piece) {
      sum += pieces[(split.first_piece + piece) * N + k % N];
    }
    output[local] = sum;
  }
}

/// By all threads, when the output is needed at once.
template <int N, class T, class Place>
__device__ void complete(const PersistentSegment& segment, const Place& place, char* shared,
                         T* output) {
  __syncthreads();
  if (segment.splits == 0) return;
  add_pieces<N>(segment, place, shared, output, static_cast<int>(threadIdx.x),
                static_cast<int>(blockDim.x));
  __syncthreads();
}

// --- the halo ---

/// Values first, first + stride, ... of the halo, as their owners publish them.
template <int N, class T, int count>
__device__ void await_packets(T (&values)[count], int first, int stride, int end,
                              const std::int32_t* columns, const HaloPacket<T>* packets,
                              std::int64_t rows, std::uint64_t tag) {
  using Tag = decltype(HaloPacket<T>::tag);
  const Tag our_tag = static_cast<Tag>(tag);
  const HaloPacket<T>* from[count];
  HaloPacket<T> got[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int k = first + i * stride;
    const std::int64_t row = k < end ? std::int64_t{columns[k / N]} * N + k % N : rows;
    from[i] = packets + row;
    // There is nothing to wait for elsewhere.
    got[i] = {T{0}, row < rows ? static_cast<Tag>(~our_tag) : our_tag};
  }
  bool missing;
  do {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      load(got[i], from[i], got[i].tag != our_tag);
    }
    missing = false;
#pragma unroll
    for (int i = 0; i < count; ++i) missing = missing || got[i].tag != our_tag;
  } while (missing);
#pragma unroll
  for (int i = 0; i < count; ++i) values[i] = got[i].value;
}

/// Halo values of published vectors on their way, so many of a thread at once.
template <class T, int N, int published, bool clustered, int values_at_once>
class Halo {
 public:
  static constexpr int at_once = values_at_once;

  __device__ Halo(const PersistentArguments<T>& arguments, const PersistentSegment& segment)
      : packets_(arguments.halo),
        rows_(arguments.matrix.rows),
        first_row_(segment.first_row),
        values_(segment.halo * N) {}

  /// To be called once by all threads, with the place in shared memory of a published vector's rows
  /// in every block, where halo columns become a block of the cluster and a block row there.
  template <class VectorAt>
  __device__ void join_cluster(const PersistentStorage<T>& a, const PersistentSegment& segment,
                               char* shared, const VectorAt& at) {
    if constexpr (clustered) {
      const int thread = static_cast<int>(threadIdx.x);
      const int threads = static_cast<int>(blockDim.x);
      const int blocks = static_cast<int>(gridDim.x);
      if (thread < blocks) {
        for (int p = 0; p < published; ++p) {
          rows_of()[p][thread] =
              of_block(reinterpret_cast<T*>(shared + at(p, a.segments[thread])), thread);
        }
      }
      auto* const halo = reinterpret_cast<std::int32_t*>(shared + segment.halo_at);
      for (int k = thread; k < segment.halo; k += threads) {
        const std::int32_t column = halo[k];
        int owner = blocks - 1;
        while (a.segments[owner].first_row > column * N) --owner;
        halo[k] = owner << 16 | (column - a.segments[owner].first_row / N);
      }
      __syncthreads();
      cluster_arrive();
      cluster_wait();
    }
  }

  /// A value of the block's own, to others: of vector `p`, in an iteration of this tag.
  __device__ void publish(int p, int row, T value, std::uint64_t tag) {
    if constexpr (!clustered) store(turn(p, tag) + first_row_ + row, value, tag);
  }

  /// Values first, first + stride, ... of vector `p`.
  __device__ void await(T (&values)[at_once], int p, int first, int stride,
                        const std::int32_t* halo, std::uint64_t tag) {
    if constexpr (clustered) {
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int k = first + i * stride;
        if (k >= values_) continue;
        const std::int32_t from = halo[k / N];
        values[i] = rows_of()[p][from >> 16][(from & 0xffff) * N + k % N];
      }
    } else {
      await_packets<N>(values, first, stride, values_, halo, turn(p, tag), rows_, tag);
    }
  }

 private:
  using Rows = T* [most_cluster_blocks];
  static __device__ Rows* rows_of() {
    __shared__ T* all[published > 0 ? published : 1][most_cluster_blocks];
    return all;
  }
  __device__ HaloPacket<T>* turn(int p, std::uint64_t tag) const {
    return packets_ + (p * packet_turns + static_cast<std::int64_t>(tag % packet_turns)) * rows_;
  }

  HaloPacket<T>* packets_;
  std::int64_t rows_;
  int first_row_;
  int values_;
};

// --- control ---

/// What a block knows of the run, in shared memory; thread 0 changes it, in every block alike.
template <int scalar_count, int guarded_passes>
struct PersistentControl {
  RunState state;
  int stopped = 0;  ///< in which control the run ended, from 1; 0: it goes on
  double scalars[scalar_count > 0 ? scalar_count : 1];
  std::int64_t guarded[guarded_passes > 0 ? guarded_passes : 1];  ///< how often they ran
};

}  // namespace sparsecast::cuda
