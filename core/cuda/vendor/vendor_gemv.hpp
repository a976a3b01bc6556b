#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/engine/device_list.hpp"

namespace sparsecast {

/// cuBLAS's product u = A v of a dense matrix on one GPU or a part of it, recorded as CUDA graphs:
/// the peer of formats on dense matrices (Verschoor and Jalba 2012, section 6.1).
template <class T>
class VendorGemv {
 public:
  /// Copies the matrix to the GPU: `rows` times `columns` values, row by row. Throws `Error` where
  /// there is no GPU or no cuBLAS, and for a matrix that does not fit its memory.
  VendorGemv(const GpuPart& device, std::int64_t rows, std::int64_t columns,
             std::span<const T> values);
  VendorGemv(VendorGemv&&) noexcept;
  VendorGemv& operator=(VendorGemv&&) noexcept;
  ~VendorGemv();

  /// v (as many values as columns) and u (rows).
  void set_input(std::span<const T> values);
  void get_output(std::span<T> values) const;

  /// So many products; returns when they are done.
  void run(std::int64_t products);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sparsecast
