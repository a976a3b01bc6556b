#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/vendor/vendor_algorithm.hpp"
#include "core/cuda/vendor/vendor_libraries.cuh"
#include "core/matrix/csr.hpp"

namespace sparsecast::cuda {

template <class T>
constexpr cudaDataType data_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

/// Owns a handle of a library; `Destroy` says how to give it back.
template <class Handle, class Destroy>
using VendorHandle = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

struct DestroyCusparse {
  void operator()(cusparseHandle_t handle) const { cusparse().cusparseDestroy(handle); }
};
using CusparseHandle = VendorHandle<cusparseHandle_t, DestroyCusparse>;
CusparseHandle create_cusparse(cudaStream_t stream);

/// How a matrix is stored for cuSPARSE.
enum class CusparseStorage {
  csr,
  bsr,         ///< row-major N x N blocks
  coo,         ///< by rising rows
  sliced_ell,  ///< `SlicedEllMatrix`
};
CusparseStorage storage_of(VendorAlgorithm algorithm);

/// A matrix on the device as cuSPARSE wants it, with 32-bit indices.
template <class T>
struct CusparseArrays {
  CusparseStorage storage = CusparseStorage::csr;
  std::int64_t rows = 0;  ///< whole block rows, which may hang over the last row
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;  ///< of the matrix
  int block_size = 1;
  DeviceArray<std::int32_t> offsets;      ///< of rows, block rows or slices; none of COO
  DeviceArray<std::int32_t> row_indices;  ///< of COO's entries
  DeviceArray<std::int32_t> indices;      ///< columns of entries, or of blocks
  DeviceArray<T> values;

  CusparseArrays() = default;
  /// As an algorithm takes it, one on blocks in n x n of them; columns rise within rows. Throws
  /// `Error` for more than 2^31 - 1 stored values, for a size of blocks that the algorithm does not
  /// have, and like `convert_to_sliced_ell`.
  CusparseArrays(const CsrView<T>& matrix, VendorAlgorithm algorithm, int n = 1);
  /// What those arrays take; counts blocks and padding.
  static std::int64_t bytes_of(const CsrView<T>& matrix, VendorAlgorithm algorithm, int n = 1);
  /// The same of so many rows with so many stored values.
  static std::int64_t bytes_of(std::int64_t rows, std::int64_t values, CusparseStorage storage,
                               int n);
  std::size_t bytes() const {
    return offsets.bytes() + row_indices.bytes() + indices.bytes() + values.bytes();
  }
};

template <class T>
inline constexpr T cusparse_one = 1;
template <class T>
inline constexpr T cusparse_zero = 0;

/// What a product is scaled by: output = alpha * A * input + beta * output. In host or in device
/// memory, as the handle's pointer mode says; 1 and 0 of the host if nothing else.
template <class T>
struct CusparseScalars {
  const T* alpha = &cusparse_one<T>;
  const T* beta = &cusparse_zero<T>;
};

/// output = A * input on a stream, ready to be launched any number of times or recorded. Arrays,
/// vectors, scalars and handle belong to the caller and outlive it.
template <class T>
class CusparseProduct {
 public:
  CusparseProduct() = default;
  /// `input` has the arrays' columns, `output` their rows. Throws `Error` when the matrix is stored
  /// for another algorithm, and when cuSPARSE's working memory does not fit in the GPU's.
  CusparseProduct(cusparseHandle_t handle, const CusparseArrays<T>& matrix,
                  VendorAlgorithm algorithm, T* input, T* output,
                  const CusparseScalars<T>& scalars = {});
  void launch() const;
  std::size_t bytes() const { return workspace_.bytes(); }

 private:
  struct DestroyMatrix {
    void operator()(cusparseSpMatDescr_t handle) const { cusparse().cusparseDestroySpMat(handle); }
  };
  struct DestroyVector {
    void operator()(cusparseDnVecDescr_t handle) const { cusparse().cusparseDestroyDnVec(handle); }
  };
  struct DestroyDescription {
    void operator()(cusparseMatDescr_t handle) const { cusparse().cusparseDestroyMatDescr(handle); }
  };

  cusparseHandle_t handle_ = nullptr;
  const CusparseArrays<T>* matrix_ = nullptr;
  bool bsrmv_ = false;
  cusparseSpMVAlg_t algorithm_ = CUSPARSE_SPMV_ALG_DEFAULT;
  CusparseScalars<T> scalars_;
  T* input_ = nullptr;
  T* output_ = nullptr;
  VendorHandle<cusparseSpMatDescr_t, DestroyMatrix> a_;
  VendorHandle<cusparseDnVecDescr_t, DestroyVector> x_;
  VendorHandle<cusparseDnVecDescr_t, DestroyVector> y_;
  VendorHandle<cusparseMatDescr_t, DestroyDescription> description_;
  DeviceArray<std::byte> workspace_;
};

}  // namespace sparsecast::cuda
