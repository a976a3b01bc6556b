#include "core/cuda/run/segment_memory.cuh"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/round_up.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/host_copy.cuh"
#include "core/cuda/device/repeated_values.cuh"
#include "core/cuda/vector/pass_kernel.cuh"

namespace sparsecast::cuda {
namespace {

bool is_variable(const Step& step) {
  return step.name == "LoadVariable";
}

}  // namespace

template <class T>
SegmentMemory<T>::SegmentMemory(const CheckedSchedule<T>& checked,
                                const MatrixOperators<T>& operators, const Segment& segment,
                                const GpuPart& gpu, const DeviceMatrices<T>& shared)
    : checked_(checked), segment_(segment), gpu_(gpu) {
  use_device();
  prepare_copies();
  const GpuShape shape = current_gpu_shape();
  shape_ = {shape.multiprocessors, shape.l2_bytes, checked.policy()};
  std::vector<const CsrView<T>*> missing;
  if (checked.uses_matrix()) missing = operators.all();
  if (!missing.empty() && shared.size() == missing.size()) {
    matrices_ = shared;
    missing.clear();
  }
  require_memory(missing);
  stream_ = Stream::create();
  for (const CsrView<T>* matrix : missing) {
    matrices_.push_back(cuda_format<T>(checked.layout()).make(source(*matrix)));
  }
  allocate();
}

template <class T>
SegmentSource<T> SegmentMemory<T>::source(const CsrView<T>& matrix) const {
  return {matrix, segment_, checked_.layout(), checked_.policy(), vector_bytes()};
}

/// Values in the memory of a vector, with zeros behind it for blocks that hang over.
template <class T>
std::int64_t SegmentMemory<T>::vector_capacity(VectorSlot slot) const {
  return round_up((checked_.is_full(slot) ? checked_.columns() : rows()) + input_padding, 32);
}

/// Of vectors and partial sums.
template <class T>
std::int64_t SegmentMemory<T>::vector_bytes() const {
  std::int64_t sums = partial_sums(false);
  for (const CheckedSteps* list : {&checked_.setup(), &checked_.iteration(), &checked_.finish()}) {
    for (const Step& step : list->steps) sums += kernel_sum_count(step);
  }
  std::int64_t bytes = sums * static_cast<std::int64_t>(sizeof(double));
  for (VectorSlot slot = 0; slot < checked_.vector_count(); ++slot) {
    bytes += vector_capacity(slot) * static_cast<std::int64_t>(sizeof(T));
  }
  return bytes;
}

template <class T>
void SegmentMemory<T>::require_memory(const std::vector<const CsrView<T>*>& missing) const {
  const Layout& layout = checked_.layout();
  std::int64_t needed = 0;
  for (const bool counted : {false, true}) {
    needed = vector_bytes();
    for (const CsrView<T>* matrix : missing) {
      needed += cuda_format<T>(layout).bytes_bound(source(*matrix), counted);
    }
    // What is stored is counted only if a bound without does not suffice.
    if (needed <= usable_memory()) break;
  }
  require_memory_for("schedule '" + checked_.schedule().name + "' in layout " + to_string(layout),
                     needed, gpu_.gpu, "use f32, or a layout with fewer stored elements");
}

template <class T>
std::int64_t SegmentMemory<T>::partial_sums(bool variable) const {
  return sum_blocks(rows(), static_cast<int>(sizeof(T)), variable, shape_);
}

template <class T>
std::int64_t SegmentMemory<T>::kernel_sum_count(const Step& step) const {
  if (sums_at_end(step)) return partial_sums(is_variable(step));
  if (step.sums.empty()) return 0;
  // Before the matrix is there, what its rows need besides is part of what it needs itself.
  const std::int64_t blocks = shape_.most_finishing_blocks();
  const std::int64_t parts = kernel_signature(step).uses_matrix && !matrices_.empty()
                                 ? matrix(step.transposed).most_dot_parts(blocks)
                                 : blocks;
  const auto sums = step.pass ? pass_sums(dot_count(*step.pass)) : std::ssize(step.sums);
  return sums * parts;
}

template <class T>
void SegmentMemory<T>::allocate() {
  for (VectorSlot slot = 0; slot < checked_.vector_count(); ++slot) {
    vectors_.push_back(DeviceArray<T>::zeros(vector_capacity(slot)));
    bytes_ += static_cast<std::int64_t>(vectors_.back().bytes());
  }
  std::vector<double> initial;
  for (const ScalarDeclaration& declaration : checked_.schedule().scalars) {
    initial.push_back(declaration.initial);
  }
  // A product sums by own columns and by the halo.
  std::size_t totals = checked_.overlaps() ? 2 : 1;
  for (const CheckedSteps* list : {&checked_.setup(), &checked_.iteration(), &checked_.finish()}) {
    for (const Step& step : list->steps) totals = std::max(totals, step.sums.size());
  }
  // A kernel's operands may be none at all; and totals.
  initial.resize(initial.size() + 1 + totals, 0);
  scalars_ = DeviceArray<double>(std::span<const double>(initial));
  state_ = DeviceArray<RunState>::zeros(1);
  partials_ = DeviceArray<double>(partial_sums(false));
  bytes_ += static_cast<std::int64_t>(scalars_.bytes() + state_.bytes() + partials_.bytes());
}

template <class T>
RunMemory SegmentMemory<T>::run_memory(const DeviceArray<std::int64_t>& runs) const {
  return {state_.data(), scalars_.data(), runs.data(), static_cast<int>(scalars().size()), links_};
}

template <class T>
std::vector<T*> SegmentMemory<T>::vectors() const {
  std::vector<T*> all;
  for (const DeviceArray<T>& each : vectors_) all.push_back(each.data());
  return all;
}

template <class T>
std::vector<T*> SegmentMemory<T>::operands(const Step& step) const {
  std::vector<T*> operands;
  for (const VectorSlot slot : step.vectors) {
    operands.push_back(vector(slot) + (checked_.is_full(slot) ? segment_.begin_row : 0));
  }
  return operands;
}

template <class T>
void SegmentMemory<T>::set_vector(VectorSlot slot, std::span<const T> values) {
  use_device();
  if (!checked_.is_full(slot)) {
    values = values.subspan(static_cast<std::size_t>(segment_.begin_row),
                            static_cast<std::size_t>(rows()));
  }
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream()));
  copy_to_device(vector(slot), values.data(), values.size_bytes());
}

template <class T>
void SegmentMemory<T>::repeat_in_vector(VectorSlot slot, std::span<const T> pattern) {
  use_device();
  if (checked_.is_full(slot)) {
    repeat_values(pattern, 0, vector(slot), checked_.columns(), stream());
  } else {
    repeat_values(pattern, segment_.begin_row, vector(slot), rows(), stream());
  }
}

template <class T>
void SegmentMemory<T>::get_vector(VectorSlot slot, std::span<T> values) const {
  use_device();
  const T* from = vector(slot);
  // No segment owns a part of the input of a matrix that is not square.
  if (!checked_.is_full(slot) || checked_.rows() == checked_.columns()) {
    values = values.subspan(static_cast<std::size_t>(segment_.begin_row),
                            static_cast<std::size_t>(rows()));
    if (checked_.is_full(slot)) from += segment_.begin_row;
  }
  SPARSECAST_CUDA_CHECK(
      cudaMemcpyAsync(values.data(), from, values.size_bytes(), cudaMemcpyDeviceToHost, stream()));
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

template <class T>
void SegmentMemory<T>::clear_halo(VectorSlot slot) {
  use_device();
  const auto clear = [&](std::int64_t begin, std::int64_t end) {
    SPARSECAST_CUDA_CHECK(cudaMemsetAsync(
        vector(slot) + begin, 0, static_cast<std::size_t>(end - begin) * sizeof(T), stream()));
  };
  clear(0, segment_.begin_row);
  clear(segment_.end_row, checked_.columns());
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

template <class T>
void SegmentMemory<T>::set_scalar(ScalarSlot slot, double value) {
  use_device();
  SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(scalars_.data() + slot, &value, sizeof(value),
                                        cudaMemcpyHostToDevice, stream()));
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

template <class T>
double SegmentMemory<T>::scalar(ScalarSlot slot) const {
  use_device();
  double value = 0;
  SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(&value, scalars_.data() + slot, sizeof(value),
                                        cudaMemcpyDeviceToHost, stream()));
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream()));
  return value;
}

template <class T>
SegmentShape SegmentMemory<T>::shape() const {
  if (!matrices_.empty()) return matrix().shape();
  SegmentShape shape;
  shape.unknowns = static_cast<double>(rows());
  shape.total_unknowns = static_cast<double>(checked_.columns());
  return shape;
}

template class SegmentMemory<float>;
template class SegmentMemory<double>;

}  // namespace sparsecast::cuda
