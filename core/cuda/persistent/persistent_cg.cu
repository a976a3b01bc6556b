#include "core/cuda/persistent/persistent_cg.cuh"

#include <cooperative_groups.h>

#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/workload/persistent_steps.hpp"

namespace sparsecast::cuda {
namespace {

constexpr int most_threads = 512;
constexpr int most_warps = most_threads / warp_size;

// --- packets ---

__device__ void store(SumPacket* to, std::uint64_t first, std::uint64_t second) {
  asm volatile(
      "{.reg .b128 packet; mov.b128 packet, {%1, %2}; st.relaxed.gpu.global.b128 [%0], packet;}" ::
          "l"(to),
      "l"(first), "l"(second)
      : "memory");
}

/// Loads only `if_needed`, and else leaves the packet as it is.
__device__ void load(SumPacket& packet, const SumPacket* from, bool if_needed) {
  asm volatile(
      "{.reg .b128 packet; .reg .pred needed; setp.ne.u32 needed, %3, 0;"
      " @needed ld.relaxed.gpu.global.b128 packet, [%2];"
      " @needed mov.b128 {%0, %1}, packet;}"
      : "+l"(packet.first), "+l"(packet.second)
      : "l"(from), "r"(static_cast<int>(if_needed))
      : "memory");
}

__device__ void store(HaloPacket<double>* to, double value, std::uint64_t tag) {
  store(reinterpret_cast<SumPacket*>(to), __double_as_longlong(value), tag);
}

__device__ void load(HaloPacket<double>& packet, const HaloPacket<double>* from, bool if_needed) {
  SumPacket both{static_cast<std::uint64_t>(__double_as_longlong(packet.value)), packet.tag};
  load(both, reinterpret_cast<const SumPacket*>(from), if_needed);
  packet = {__longlong_as_double(static_cast<long long>(both.first)), both.second};
}

__device__ void store(HaloPacket<float>* to, float value, std::uint64_t tag) {
  const std::uint64_t packet = static_cast<std::uint64_t>(__float_as_uint(value)) |
                               static_cast<std::uint32_t>(tag) * (std::uint64_t{1} << 32);
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(to), "l"(packet) : "memory");
}

__device__ void load(HaloPacket<float>& packet, const HaloPacket<float>* from, bool if_needed) {
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

// --- sums over all blocks ---

/// In all lanes, and of the same bits there.
__device__ double warp_sum(double value) {
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(whole_warp, value, offset);
  }
  return value;
}

/// Every warp leaves its share; after the next barrier `grid_totals` adds them.
template <int count>
__device__ void leave_sums(const double (&values)[count], double (*shares)[most_warps]) {
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const double sum = warp_sum(values[k]);
    if (threadIdx.x % warp_size == 0) shares[k][threadIdx.x / warp_size] = sum;
  }
}

/// By one warp: sums over the block's shares, published, then over what all blocks published, in
/// an order that depends on nothing. All lanes get the totals. A packet's lowest 8 bits are those
/// of the tag; a second sum loses as many to it.
template <int count>
__device__ void grid_totals(double (&totals)[count], const double (*shares)[most_warps],
                            SumPacket* packets, std::uint64_t tag) {
  static_assert(count <= 2);
  constexpr std::uint64_t tag_bits = 0xff;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  const int blocks = static_cast<int>(gridDim.x);
  const std::uint64_t our_tag = tag & tag_bits;
#pragma unroll
  for (int k = 0; k < count; ++k) {
    totals[k] = warp_sum(lane < warps ? shares[k][lane] : 0);
  }
  if (blocks == 1) return;
  std::uint64_t second = our_tag;
  if constexpr (count == 2) second |= __double_as_longlong(totals[1]) & ~tag_bits;
  if (lane < sum_copies) {
    store(packets + lane * blocks + blockIdx.x, __double_as_longlong(totals[0]), second);
  }
  packets += static_cast<int>(blockIdx.x) % sum_copies * blocks;
#pragma unroll
  for (int k = 0; k < count; ++k) totals[k] = 0;
  constexpr int at_once = 5;  // 132 multiprocessors in one go
  for (int first = lane; first < blocks; first += at_once * warp_size) {
    SumPacket got[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      // There is nothing to wait for behind the last.
      got[i] = {0, first + i * warp_size < blocks ? ~our_tag : our_tag};
    }
    bool missing;
    do {
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        load(got[i], packets + first + i * warp_size, (got[i].second & tag_bits) != our_tag);
      }
      missing = false;
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        missing = missing || (got[i].second & tag_bits) != our_tag;
      }
    } while (missing);
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      totals[0] += __longlong_as_double(got[i].first);
      if constexpr (count == 2) totals[1] += __longlong_as_double(got[i].second & ~tag_bits);
    }
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < count; ++k) totals[k] = warp_sum(totals[k]);
}

// --- the same in a cluster, whose blocks write to each other's shared memory. GPUs before compute
// capability 9.0 have none, and `persistent_cg_fits_cluster` says so: what is compiled for them
// only stands in its place. ---

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}

__device__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/// A place in the shared memory of another block.
template <class T>
__device__ T* of_block(T* here, int block) {
  return cooperative_groups::this_cluster().map_shared_rank(here, block);
}
#else
__device__ void cluster_arrive() {
  __trap();
}

__device__ void cluster_wait() {
  __trap();
}

template <class T>
__device__ T* of_block(T* here, int) {
  __trap();
  return here;
}
#endif

/// By one warp, like `grid_totals`; the other warps arrive and wait meanwhile. `received` is not
/// used again before another such barrier.
template <int count>
__device__ void cluster_totals(double (&totals)[count], const double (*shares)[most_warps],
                               double (*received)[most_cluster_blocks]) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  const int blocks = static_cast<int>(gridDim.x);
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const double sum = warp_sum(lane < warps ? shares[k][lane] : 0);
    if (lane < blocks) *of_block(&received[k][blockIdx.x], lane) = sum;
  }
  __syncwarp();
  cluster_arrive();
  cluster_wait();
#pragma unroll
  for (int k = 0; k < count; ++k) totals[k] = warp_sum(lane < blocks ? received[k][lane] : 0);
}

// --- control, carried out by one thread of every block alike ---

struct Control {
  double alpha, beta, s, t, p_Ap, r_r, zero, beta_minimum, stalled, beta_floor, patience,
      r_r_threshold;
  std::int64_t iterations;
  std::int64_t limit;
  std::int64_t completed;  ///< iterations that a check of p.Ap did not end
  int ended;               ///< as in RunState

  __device__ void load(const RunMemory& run, const CgScalarSlots& at) {
    const double* scalars = run.scalars;
    alpha = scalars[at.alpha];
    beta = scalars[at.beta];
    s = scalars[at.s];
    t = scalars[at.t];
    p_Ap = scalars[at.p_Ap];
    r_r = scalars[at.r_r];
    zero = scalars[at.zero];
    beta_minimum = scalars[at.beta_minimum];
    stalled = scalars[at.stalled];
    beta_floor = scalars[at.beta_floor];
    patience = scalars[at.patience];
    r_r_threshold = scalars[at.r_r_threshold];
    iterations = 0;
    completed = 0;
    ended = 0;
  }

  __device__ void store(const RunMemory& run, const CgScalarSlots& at) const {
    double* scalars = run.scalars;
    scalars[at.alpha] = alpha;
    scalars[at.beta] = beta;
    scalars[at.s] = s;
    scalars[at.t] = t;
    scalars[at.p_Ap] = p_Ap;
    scalars[at.r_r] = r_r;
    scalars[at.beta_minimum] = beta_minimum;
    scalars[at.stalled] = stalled;
  }

  /// A test of a check step: whether it ended the run.
  __device__ bool stop(double a, double b, Outcome outcome) {
    const bool finite = isfinite(a) && isfinite(b);
    if (finite && !(a <= b)) return false;
    ended = 1 + static_cast<int>(finite ? outcome : Outcome::not_finite);
    return true;
  }

  __device__ void after_product(double sum) {
    p_Ap = sum;
    ++iterations;
    if (!stop(p_Ap, zero, Outcome::not_positive_definite)) t = alpha / p_Ap;
  }

  __device__ void after_residual(double new_beta, double new_r_r) {
    beta = new_beta;
    r_r = new_r_r;
    s = beta / alpha;
    alpha = beta;
    stalled = beta < beta_minimum ? 0 : stalled + 1;
    beta_minimum = beta < beta_minimum ? beta : beta_minimum;
    ++completed;
    if (stop(r_r, r_r_threshold, Outcome::converged) ||
        stop(beta, beta_floor, Outcome::converged) || stop(patience, stalled, Outcome::stagnated)) {
      return;
    }
    if (iterations == limit) ended = 1 + static_cast<int>(Outcome::iteration_limit);
  }
};

// --- the parts of an iteration ---

/// Where a block finds what it works on; generic pointers, to shared memory where it fits.
template <class T>
struct Place {
  T* x;
  T* u;
  T* z;
  const T* c;
  T* d;
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

/// Where the steps of a slice are.
enum class Source {
  shared,  ///< in shared memory
  cached,  ///< in global memory, small enough to stay in the L2 cache
  passing  ///< in global memory, not to drive out what stays
};

template <Source source, class T>
__device__ T load_matrix(const T* from, std::uint64_t policy) {
  if constexpr (source == Source::shared) {
    return *from;
  } else if constexpr (source == Source::cached) {
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

/// Sums of a lane over the steps [step, end) of a slice.
template <int N, Source source, class T>
__device__ void multiply_steps(T (&sums)[N], const T* values, const std::uint16_t* columns,
                               std::uint32_t step, std::uint32_t end, const T* window) {
  constexpr int at_once = (N == 1 ? steps_at_once_of_values : steps_at_once_of_blocks) *
                          (source == Source::shared ? 1 : more_steps_at_once);
  std::uint64_t policy = 0;
  if constexpr (source == Source::passing) {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  values += lane;
  columns += lane;
#pragma unroll 1
  for (; step < end; step += at_once) {
    T block[at_once][N * N] = {};
    int column[at_once] = {};
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (step + k >= end) continue;
      column[k] = columns[(step + k) * warp_size];
#pragma unroll
      for (int i = 0; i < N * N; ++i) {
        block[k][i] = load_matrix<source>(
            values + (std::int64_t{step + k} * (N * N) + i) * warp_size, policy);
      }
    }
    T input[at_once][N] = {};
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (step + k >= end) continue;
#pragma unroll
      for (int j = 0; j < N; ++j) input[k][j] = window[column[k] * N + j];
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
#pragma unroll
      for (int i = 0; i < N; ++i) {
#pragma unroll
        for (int j = 0; j < N; ++j) sums[i] += block[k][i * N + j] * input[k][j];
      }
    }
  }
}

/// u = A * window for the block's rows, of rows in pieces only these; the share of this thread in
/// u.v.
template <int N, class T>
__device__ double multiply(const PersistentStorage<T>& a, const PersistentSegment& segment,
                           const Place<T>& place, char* shared) {
  T* const window = reinterpret_cast<T*>(shared);
  T* const pieces = window + segment.own + segment.halo * N;
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
      multiply_steps<N, Source::shared>(sums, resident_values, resident_columns, slice.step, end,
                                        window);
    } else if (k < segment.cached_slices) {
      multiply_steps<N, Source::cached>(sums, values, columns, slice.step, end, window);
    } else {
      multiply_steps<N, Source::passing>(sums, values, columns, slice.step, end, window);
    }
    for (int offset = lanes / 2; offset > 0; offset /= 2) {
#pragma unroll
      for (int i = 0; i < N; ++i) sums[i] += __shfl_xor_sync(whole_warp, sums[i], offset);
    }
    if (lane % lanes != 0 || slot.piece == 0xffff) continue;
    T* const to = slot.piece == 0 ? place.u + slot.row * N : pieces + (slot.piece - 1) * N;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int local = slot.row * N + i;
      if (local >= segment.rows) break;
      to[i] = sums[i];
      dot += static_cast<double>(sums[i]) * static_cast<double>(window[local]);
    }
  }
  return dot;
}

/// Completes u where rows are in pieces; thread `first` of `stride`.
template <int N, class T>
__device__ void add_pieces(const PersistentSegment& segment, const Place<T>& place, const T* window,
                           int first, int stride) {
  const T* const pieces = window + segment.own + segment.halo * N;
#pragma unroll 1
  for (int k = first; k < segment.splits * N; k += stride) {
    const PersistentSplit split = place.splits[k / N];
    const int local = split.row * N + k % N;
    if (local >= segment.rows) continue;
    T sum = 0;
    for (int piece = 0; piece < split.pieces; ++piece) {
      sum += pieces[(split.first_piece + piece) * N + k % N];
    }
    place.u[local] = sum;
  }
}

/// Halo values first, first + stride, ... of the window, as their owners publish them.
template <class T, int N, int count>
__device__ void await_halo(T (&values)[count], int first, int stride, int end,
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
    got[i] = {T{0}, row < rows ? ~our_tag : our_tag};
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

/// `clustered`: all blocks are one cluster, and z and the halo's list are in shared memory.
template <class T, int N, bool clustered>
__global__ void __launch_bounds__(most_threads, 1)
    persistent_cg(const __grid_constant__ PersistentStorage<T> a,
                  const __grid_constant__ PersistentCgMemory<T> memory, std::int64_t limit) {
  extern __shared__ __align__(16) char shared[];
  __shared__ Control control;
  __shared__ double shares[2][most_warps];
  __shared__ double received[2][2][most_cluster_blocks];  // of the two sums of an iteration
  __shared__ const T* z_of[most_cluster_blocks];
  __shared__ PersistentSegment segment;
  __shared__ Place<T> place;
  T* const window = reinterpret_cast<T*>(shared);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const bool leads = thread < warp_size;  // the warp that waits for sums
  if (thread == 0) segment = a.segments[blockIdx.x];
  __syncthreads();
  const int first = segment.first_row;
  const int halo_values = segment.halo * N;

  // --- once ---
  if (thread == 0) {
    place.x = resident_or(shared, segment.x_at, memory.x + first);
    place.u = resident_or(shared, segment.u_at, memory.u + first);
    place.z = resident_or(shared, segment.z_at, memory.z + first);
    place.c = resident_or(shared, segment.c_at, memory.c + first);
    place.d = resident_or(shared, segment.d_at, memory.d + first);
    place.halo = resident_or(shared, segment.halo_at, a.halo_columns + segment.halo_begin);
    place.exported = resident_or(shared, segment.exported_at, a.exported + first);
    place.slices = resident_or(shared, segment.slices_at, a.slices + segment.slice_begin);
    place.slots = resident_or(shared, segment.slots_at, a.slots + segment.slot_begin);
    place.splits = resident_or(shared, segment.splits_at, a.splits + segment.split_begin);
  }
  __syncthreads();
  keep(shared, segment.halo_at, a.halo_columns + segment.halo_begin, segment.halo);
  keep(shared, segment.exported_at, a.exported + first, segment.own);
  keep(shared, segment.slices_at, a.slices + segment.slice_begin, segment.slices + 1);
  keep(shared, segment.slots_at, a.slots + segment.slot_begin, segment.slots);
  keep(shared, segment.splits_at, a.splits + segment.split_begin, segment.splits);
  keep(shared, segment.values_at,
       reinterpret_cast<const int4*>(a.values + segment.step_begin * (N * N * warp_size)),
       segment.resident_steps * std::int64_t{N * N * warp_size * sizeof(T) / 16});
  keep(shared, segment.columns_at,
       reinterpret_cast<const int4*>(a.columns + segment.step_begin * warp_size),
       segment.resident_steps * std::int64_t{warp_size * 2 / 16});
#pragma unroll 1
  for (int row = thread; row < segment.own; row += threads) {
    const bool there = row < segment.rows;
    window[row] = there ? memory.v[first + row] : T{0};
    if (segment.z_at >= 0) place.z[row] = there ? memory.z[first + row] : T{0};
    if (!there) continue;
    if (segment.x_at >= 0) place.x[row] = memory.x[first + row];
    const T c = memory.c[first + row];
    if (segment.c_at >= 0) const_cast<T*>(place.c)[row] = c;
    place.d[row] = 1 / c;
  }
#pragma unroll 1
  for (int k = thread; k < halo_values; k += threads) {
    const std::int64_t from = std::int64_t{a.halo_columns[segment.halo_begin + k / N]} * N + k % N;
    window[segment.own + k] = from < a.rows ? memory.v[from] : T{0};
  }
  if (thread == 0) {
    control.load(memory.run, memory.slots);
    control.limit = limit;
  }
  __syncthreads();
  if constexpr (clustered) {
    // Halo columns become a block of the cluster and a block row there.
    const int blocks = static_cast<int>(gridDim.x);
    if (thread < blocks) {
      z_of[thread] = of_block(resident_or<T>(shared, a.segments[thread].z_at, nullptr), thread);
    }
    for (int k = thread; k < segment.halo; k += threads) {
      const std::int32_t column = place.halo[k];
      int owner = blocks - 1;
      while (a.segments[owner].first_row > column * N) --owner;
      const_cast<std::int32_t*>(place.halo)[k] =
          owner << 16 | (column - a.segments[owner].first_row / N);
    }
    __syncthreads();
    cluster_arrive();
    cluster_wait();
  }

  // --- iterations ---
  // The packets of sums are 0: their first tag of a launch ends in 1.
  std::uint64_t tag = (*memory.last_tag | 0xff) + 2;
  for (;; ++tag) {
    const double product[1] = {multiply<N>(a, segment, place, shared)};
    leave_sums(product, shares);
    __syncthreads();
    if (leads) {
      double totals[1];
      if constexpr (clustered) {
        cluster_totals(totals, shares, received[0]);
      } else {
        grid_totals(totals, shares, memory.sums, tag);
      }
      if (thread == 0) control.after_product(totals[0]);
    } else {
      if constexpr (clustered) cluster_arrive();
      add_pieces<N>(segment, place, window, thread - warp_size, threads - warp_size);
      if constexpr (clustered) cluster_wait();
    }
    __syncthreads();
    if (control.ended != 0) break;

    const T t = static_cast<T>(control.t);
    double sums[2] = {0, 0};
#pragma unroll 1
    for (int row = thread; row < segment.rows; row += threads) {
      const T c = place.c[row];
      const T inverse = place.d[row];
      const T z = place.z[row] - t * (c * c) * place.u[row];
      if (!clustered && place.exported[row] != 0) store(memory.halo + first + row, z, tag);
      place.z[row] = z;
      const T scaled = z * inverse;
      const T residual = scaled * inverse;
      sums[0] += static_cast<double>(scaled) * static_cast<double>(scaled);
      sums[1] += static_cast<double>(residual) * static_cast<double>(residual);
    }
    leave_sums(sums, shares);
    __syncthreads();

    // One warp waits for the sums. The others meanwhile move x and wait for the first of the halo.
    constexpr int ahead = halo_values_at_once;
    T halo[ahead] = {};
    const int helper = thread - warp_size;
    const int helpers = threads - warp_size;
    const auto await = [&](int from, int stride) {
      if constexpr (clustered) {
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
          const int k = from + i * stride;
          if (k >= halo_values) continue;
          const std::int32_t at = place.halo[k / N];
          halo[i] = z_of[at >> 16][(at & 0xffff) * N + k % N];
        }
      } else {
        await_halo<T, N>(halo, from, stride, halo_values, place.halo, memory.halo, a.rows, tag);
      }
    };
    if (leads) {
      double totals[2];
      if constexpr (clustered) {
        cluster_totals(totals, shares, received[1]);
      } else {
        grid_totals(totals, shares, memory.sums + gridDim.x * sum_copies, tag);
      }
      if (thread == 0) control.after_residual(totals[0], totals[1]);
    } else {
      if constexpr (clustered) cluster_arrive();
#pragma unroll 2
      for (int row = helper; row < segment.rows; row += helpers) {
        place.x[row] += t * window[row];
      }
      if constexpr (clustered) cluster_wait();
      await(helper, helpers);
    }
    __syncthreads();

    const T s = static_cast<T>(control.s);
#pragma unroll 2
    for (int row = thread; row < segment.rows; row += threads) {
      window[row] = place.z[row] + s * window[row];
    }
    if (control.ended != 0) break;
    const auto advance = [&](int from, int stride) {
#pragma unroll
      for (int i = 0; i < ahead; ++i) {
        const int k = from + i * stride;
        if (k >= halo_values) continue;
        T& value = window[segment.own + k];
        value = halo[i] + s * value;
      }
    };
    if (!leads) advance(helper, helpers);
#pragma unroll 1
    for (int k = ahead * helpers + thread; k < halo_values; k += ahead * threads) {
      await(k, threads);
      advance(k, threads);
    }
    __syncthreads();
  }

  // --- at the end: what others may ask for ---
#pragma unroll 1
  for (int row = thread; row < segment.rows; row += threads) {
    memory.v[first + row] = window[row];
    if (segment.x_at >= 0) memory.x[first + row] = place.x[row];
    if (segment.u_at >= 0) memory.u[first + row] = place.u[row];
    if (segment.z_at >= 0) memory.z[first + row] = place.z[row];
  }
  if (blockIdx.x == 0 && thread == 0) {
    control.store(memory.run, memory.slots);
    *memory.last_tag = tag;
    memory.run.state->ended = control.ended;
    memory.run.state->iterations += control.iterations;
    for (int k = 0; k < memory.steps; ++k) {
      memory.run.runs[k] += k < memory.check_step ? control.iterations : control.completed;
    }
  }
  if constexpr (clustered) {
    // Others may still read z here.
    cluster_arrive();
    cluster_wait();
  }
}

template <class T>
auto kernel(int block_size, bool clustered) {
  if (clustered) {
    return block_size == 3 ? &persistent_cg<T, 3, true> : &persistent_cg<T, 1, true>;
  }
  return block_size == 3 ? &persistent_cg<T, 3, false> : &persistent_cg<T, 1, false>;
}

/// A launch, whose attribute must outlive it.
cudaLaunchConfig_t configuration(const PersistentShape& shape, cudaLaunchAttribute& attribute) {
  if (shape.clustered) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(shape.blocks), 1, 1};
  } else {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(shape.blocks);
  launch.blockDim = static_cast<unsigned>(shape.threads);
  launch.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  return launch;
}

template <class T>
auto prepared_kernel(int block_size, const PersistentShape& shape) {
  const auto function = kernel<T>(block_size, shape.clustered);
  SPARSECAST_CUDA_CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(shape.shared_bytes)));
  if (shape.clustered) {
    SPARSECAST_CUDA_CHECK(
        cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  return function;
}

}  // namespace

template <class T>
void launch_persistent_cg(cudaStream_t stream, const PersistentMatrix<T>& matrix,
                          const PersistentCgMemory<T>& memory, std::int64_t limit) {
  const PersistentShape& shape = matrix.shape();
  const auto function = prepared_kernel<T>(matrix.block_size(), shape);
  SPARSECAST_CUDA_CHECK(cudaMemsetAsync(
      memory.sums, 0, sizeof(SumPacket) * 2 * sum_copies * static_cast<std::size_t>(shape.blocks),
      stream));
  PersistentStorage<T> storage = matrix.storage();
  PersistentCgMemory<T> arguments = memory;
  void* parameters[] = {&storage, &arguments, &limit};
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t launch = configuration(shape, attribute);
  launch.stream = stream;
  SPARSECAST_CUDA_CHECK(
      cudaLaunchKernelExC(&launch, reinterpret_cast<const void*>(function), parameters));
}

template <class T>
bool persistent_cg_fits_cluster(int block_size, const PersistentShape& shape) {
  int major = 0;
  int device = 0;
  SPARSECAST_CUDA_CHECK(cudaGetDevice(&device));
  SPARSECAST_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 9 || shape.blocks > most_cluster_blocks) return false;
  const auto function = prepared_kernel<T>(block_size, shape);
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t launch = configuration(shape, attribute);
  int clusters = 0;
  SPARSECAST_CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, function, &launch));
  return clusters > 0;
}

template bool persistent_cg_fits_cluster<float>(int, const PersistentShape&);
template bool persistent_cg_fits_cluster<double>(int, const PersistentShape&);
template void launch_persistent_cg(cudaStream_t, const PersistentMatrix<float>&,
                                   const PersistentCgMemory<float>&, std::int64_t);
template void launch_persistent_cg(cudaStream_t, const PersistentMatrix<double>&,
                                   const PersistentCgMemory<double>&, std::int64_t);

}  // namespace sparsecast::cuda
