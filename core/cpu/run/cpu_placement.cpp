#include "core/cpu/run/cpu_placement.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "core/analysis/partition.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/run/cpu_memory.hpp"

namespace sparsecast {
namespace {

template <class T>
std::vector<Segment> cut(const CsrView<T>* matrix, const Layout& layout, std::int64_t unknowns,
                         const CpuDevices& devices) {
  const int count = devices.count;
  if (devices.part != nullptr) return {devices.part->own};
  if (matrix != nullptr) return partition(*matrix, layout, count);
  std::vector<Segment> segments;
  for (int i = 0; i < count; ++i) {
    segments.push_back({unknowns * i / count, unknowns * (i + 1) / count});
  }
  return segments;
}

/// Of the vectors of all devices and, of several, of two host buffers for what they exchange.
template <class T>
std::int64_t vector_bytes(std::span<const CpuVectorLayout> vectors, std::int64_t unknowns) {
  std::int64_t values = vectors.size() > 1 ? 2 * unknowns : 0;
  for (const CpuVectorLayout& layout : vectors) values += layout.values();
  return values * static_cast<std::int64_t>(sizeof(T));
}

/// `matrix` is null for a segment of vectors only.
template <class T>
SegmentShape shape_of(const CpuMatrix<T>* matrix, const Segment& segment, std::int64_t columns) {
  if (matrix != nullptr) return matrix->shape();
  SegmentShape shape;
  shape.unknowns = static_cast<double>(segment.rows());
  shape.total_unknowns = static_cast<double>(columns);
  return shape;
}

/// The matrix of a rank, which outlives what is prepared, where it lies; nullptr where there is one
/// process, or the layout stores it otherwise.
template <class T>
std::unique_ptr<CpuMatrix<T>> in_place(const CsrView<T>* matrix, const Layout& layout,
                                       const CpuDevices& devices) {
  if (matrix == nullptr || devices.part == nullptr) return nullptr;
  const CpuFormat<T>& format = cpu_format<T>(layout);
  return format.in_place != nullptr ? format.in_place(*matrix, devices.part->own, layout) : nullptr;
}

}  // namespace

template <class T>
CpuPlacement<T> place(const Schedule& schedule, bool uses_matrix,
                      const MatrixOperators<T>& operators, const Layout& layout,
                      std::int64_t unknowns, const CpuDevices& devices) {
  const CsrView<T>* const matrix = operators.matrix();
  const std::int64_t columns = matrix != nullptr ? matrix->columns : unknowns;
  CpuPlacement<T> placement;
  const double start = steady_seconds();
  const std::vector<Segment> segments = cut(matrix, layout, unknowns, devices);
  std::vector<CpuVectorLayout> vectors;
  for (const Segment& segment : segments) {
    vectors.push_back(lay_out_vectors<T>(schedule.vectors, segment, columns, columns == unknowns));
  }
  auto converted = uses_matrix ? operators.all() : std::vector<const CsrView<T>*>();
  std::unique_ptr<CpuMatrix<T>> stays = in_place(uses_matrix ? matrix : nullptr, layout, devices);
  if (stays) converted.erase(converted.begin());
  require_memory<T>(schedule.name, converted, layout, segments, vector_bytes<T>(vectors, unknowns));
  std::vector<CpuMatrices<T>> matrices(segments.size());
  if (stays) matrices.front().push_back(std::move(stays));
  if (uses_matrix) {
    for (std::size_t i = 0; i < segments.size(); ++i) {
      for (const CsrView<T>* each : converted) {
        matrices[i].push_back(cpu_format<T>(layout).convert(*each, segments[i], layout));
      }
    }
    placement.conversion_seconds = steady_seconds() - start;
  }
  int threads = 1;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    placement.shapes.push_back(
        shape_of(matrices[i].empty() ? nullptr : matrices[i].front().get(), segments[i], columns));
    threads =
        std::max(threads, devices.policy.threads(placement.shapes.back(), devices.threads_each));
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    placement.devices.push_back(
        std::make_unique<CpuDevice<T>>(segments[i], std::move(matrices[i]), vectors[i], threads));
  }
  return placement;
}

template CpuPlacement<float> place(const Schedule& schedule, bool uses_matrix,
                                   const MatrixOperators<float>& operators, const Layout& layout,
                                   std::int64_t unknowns, const CpuDevices& devices);
template CpuPlacement<double> place(const Schedule& schedule, bool uses_matrix,
                                    const MatrixOperators<double>& operators, const Layout& layout,
                                    std::int64_t unknowns, const CpuDevices& devices);

}  // namespace sparsecast
