#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/cuda/vendor/vendor_algorithm.hpp"
#include "core/engine/device_list.hpp"
#include "core/matrix/csr.hpp"

namespace sparsecast {

/// cuSPARSE's product u = A v on one GPU or a part of it, used as its manual advises: 32-bit
/// indices, `cusparseSpMV_preprocess`, products recorded as CUDA graphs. It is the peer of our SpMV
/// in benchmarks.
template <class T>
class VendorSpmv {
 public:
  /// Copies the matrix, whose columns rise within rows, to the GPU. `block_size` is N of the
  /// algorithms on blocks (2 or more; blocks hang over the last row and column as in BCSR), 1 for
  /// the others. Throws `Error` where there is no GPU or no cuSPARSE, and like `CusparseArrays`
  /// (`core/formats/cusparse/cuda/product.cuh`).
  VendorSpmv(const GpuPart& device, const CsrView<T>& matrix, VendorAlgorithm algorithm,
             int block_size = 1);
  VendorSpmv(VendorSpmv&&) noexcept;
  VendorSpmv& operator=(VendorSpmv&&) noexcept;
  ~VendorSpmv();

  /// v (as many values as columns) and u (rows).
  void set_input(std::span<const T> values);
  void get_output(std::span<T> values) const;

  /// So many products; returns when they are done.
  void run(std::int64_t products);

  /// That a product reads and writes at least: matrix, v and u once.
  std::int64_t bytes_per_product() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sparsecast
