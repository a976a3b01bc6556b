#include "core/formats/cusparse/cuda/product.cuh"

#include <limits>
#include <string>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/error.hpp"
#include "core/base/round_up.hpp"
#include "core/cuda/device/device_memory.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/coo/coo.hpp"
#include "core/formats/cusparse/sliced_ell.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast::cuda {
namespace {

std::int32_t narrow(std::int64_t number) {
  if (number > std::numeric_limits<std::int32_t>::max()) {
    throw Error("a matrix of " + std::to_string(number) +
                " stored values; cuSPARSE's products take up to 2147483647 here: use another "
                "schedule or layout");
  }
  return static_cast<std::int32_t>(number);
}

DeviceArray<std::int32_t> upload_offsets(const RowOffsets& offsets) {
  if (!offsets.narrow().empty()) return DeviceArray<std::int32_t>(offsets.narrow());
  const std::vector<std::int32_t> narrowed(offsets.wide().begin(), offsets.wide().end());
  return DeviceArray<std::int32_t>(std::span<const std::int32_t>(narrowed));
}

template <class Value>
DeviceArray<Value> upload(const Buffer<Value>& values) {
  return DeviceArray<Value>(std::span<const Value>(values));
}

/// What `cusparseSpMV` calls it.
cusparseSpMVAlg_t spmv_algorithm(VendorAlgorithm algorithm) {
  switch (algorithm) {
    case VendorAlgorithm::csr_alg1:
      return CUSPARSE_SPMV_CSR_ALG1;
    case VendorAlgorithm::csr_alg2:
      return CUSPARSE_SPMV_CSR_ALG2;
    case VendorAlgorithm::coo_alg1:
      return CUSPARSE_SPMV_COO_ALG1;
    case VendorAlgorithm::coo_alg2:
      return CUSPARSE_SPMV_COO_ALG2;
    case VendorAlgorithm::sell:
      return CUSPARSE_SPMV_SELL_ALG1;
    case VendorAlgorithm::bsr:
    case VendorAlgorithm::bsrmv:
      break;
  }
  return CUSPARSE_SPMV_ALG_DEFAULT;
}

/// The library's descriptor of a matrix, which the caller owns.
template <class T>
cusparseSpMatDescr_t describe(const CusparseArrays<T>& matrix) {
  const Cusparse& library = cusparse();
  const int n = matrix.block_size;
  cusparseSpMatDescr_t a = nullptr;
  switch (matrix.storage) {
    case CusparseStorage::csr:
      SPARSECAST_VENDOR_CHECK(library.cusparseCreateCsr(
          &a, matrix.rows, matrix.columns, matrix.nonzeros, matrix.offsets.data(),
          matrix.indices.data(), matrix.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
          CUSPARSE_INDEX_BASE_ZERO, data_type<T>));
      break;
    case CusparseStorage::bsr:
      SPARSECAST_VENDOR_CHECK(library.cusparseCreateBsr(
          &a, matrix.rows / n, matrix.columns / n, matrix.indices.size(), n, n,
          matrix.offsets.data(), matrix.indices.data(), matrix.values.data(), CUSPARSE_INDEX_32I,
          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>, CUSPARSE_ORDER_ROW));
      break;
    case CusparseStorage::coo:
      SPARSECAST_VENDOR_CHECK(library.cusparseCreateCoo(
          &a, matrix.rows, matrix.columns, matrix.nonzeros, matrix.row_indices.data(),
          matrix.indices.data(), matrix.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
          data_type<T>));
      break;
    case CusparseStorage::sliced_ell:
      SPARSECAST_VENDOR_CHECK(library.cusparseCreateSlicedEll(
          &a, matrix.rows, matrix.columns, matrix.nonzeros, matrix.values.size(), sliced_ell_height,
          matrix.offsets.data(), matrix.indices.data(), matrix.values.data(), CUSPARSE_INDEX_32I,
          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>));
      break;
  }
  return a;
}

}  // namespace

CusparseHandle create_cusparse(cudaStream_t stream) {
  cusparseHandle_t handle = nullptr;
  SPARSECAST_VENDOR_CHECK(cusparse().cusparseCreate(&handle));
  CusparseHandle owned(handle);
  SPARSECAST_VENDOR_CHECK(cusparse().cusparseSetStream(handle, stream));
  return owned;
}

CusparseStorage storage_of(VendorAlgorithm algorithm) {
  switch (algorithm) {
    case VendorAlgorithm::bsr:
    case VendorAlgorithm::bsrmv:
      return CusparseStorage::bsr;
    case VendorAlgorithm::coo_alg1:
    case VendorAlgorithm::coo_alg2:
      return CusparseStorage::coo;
    case VendorAlgorithm::sell:
      return CusparseStorage::sliced_ell;
    case VendorAlgorithm::csr_alg1:
    case VendorAlgorithm::csr_alg2:
      break;
  }
  return CusparseStorage::csr;
}

template <class T>
CusparseArrays<T>::CusparseArrays(const CsrView<T>& matrix, VendorAlgorithm algorithm, int n)
    : storage(storage_of(algorithm)),
      rows(matrix.rows),
      columns(matrix.columns),
      nonzeros(matrix.nonzeros()),
      block_size(n) {
  const bool in_blocks = storage == CusparseStorage::bsr;
  if (in_blocks != (n > 1)) {
    throw Error(std::string(to_string(algorithm)) + " in blocks of " + std::to_string(n) +
                "; expected " + (in_blocks ? "2 or more" : "1"));
  }
  narrow(nonzeros);
  const Segment all{0, matrix.rows};
  switch (storage) {
    case CusparseStorage::csr:
      offsets = upload_offsets(matrix.row_offsets);
      indices = DeviceArray<std::int32_t>(matrix.column_indices);
      values = DeviceArray<T>(matrix.values);
      return;
    case CusparseStorage::bsr: {
      const BcsrMatrix<T> blocks = convert_to_bcsr(matrix, all, block_layout(n));
      narrow(static_cast<std::int64_t>(blocks.values.size()));
      rows = blocks.block_rows * n;
      columns = round_up(columns, n);
      offsets = upload_offsets(blocks.block_offsets);
      indices = upload(blocks.block_columns);
      values = upload(blocks.values);
      return;
    }
    case CusparseStorage::coo: {
      const CooMatrix<T> entries = convert_to_coo(matrix, all);
      row_indices = upload(entries.row_indices);
      indices = upload(entries.column_indices);
      values = upload(entries.values);
      return;
    }
    case CusparseStorage::sliced_ell: {
      const SlicedEllMatrix<T> slices = convert_to_sliced_ell(matrix, all);
      offsets = upload(slices.slice_offsets);
      indices = upload(slices.column_indices);
      values = upload(slices.values);
      return;
    }
  }
}

template <class T>
std::int64_t CusparseArrays<T>::bytes_of(const CsrView<T>& matrix, VendorAlgorithm algorithm,
                                         int n) {
  const CusparseStorage storage = storage_of(algorithm);
  const Segment all{0, matrix.rows};
  std::int64_t values = matrix.nonzeros();
  if (storage == CusparseStorage::bsr) {
    values = count_blocks(matrix.pattern(), all, n).back() * n * n;
  } else if (storage == CusparseStorage::sliced_ell) {
    values = sliced_ell_values(matrix.pattern(), all);
  }
  return bytes_of(matrix.rows, values, storage, n);
}

template <class T>
std::int64_t CusparseArrays<T>::bytes_of(std::int64_t rows, std::int64_t values,
                                         CusparseStorage storage, int n) {
  const std::int64_t value_bytes = values * static_cast<std::int64_t>(sizeof(T));
  if (storage == CusparseStorage::coo) return value_bytes + values * coo_index_bytes;
  const int rows_together = storage == CusparseStorage::sliced_ell ? sliced_ell_height : n;
  return value_bytes + values / (n * n) * 4 + (rows / rows_together + 2) * 4;
}

template <class T>
CusparseProduct<T>::CusparseProduct(cusparseHandle_t handle, const CusparseArrays<T>& matrix,
                                    VendorAlgorithm algorithm, T* input, T* output,
                                    const CusparseScalars<T>& scalars)
    : handle_(handle),
      matrix_(&matrix),
      algorithm_(spmv_algorithm(algorithm)),
      scalars_(scalars),
      input_(input),
      output_(output) {
  if (storage_of(algorithm) != matrix.storage) {
    throw Error(std::string(to_string(algorithm)) + ": the matrix is stored for another algorithm");
  }
  const Cusparse& library = cusparse();
  if (algorithm == VendorAlgorithm::bsrmv) {
    bsrmv_ = true;
    cusparseMatDescr_t description = nullptr;
    SPARSECAST_VENDOR_CHECK(library.cusparseCreateMatDescr(&description));
    description_.reset(description);
    return;
  }
  a_.reset(describe(matrix));
  cusparseDnVecDescr_t vector = nullptr;
  SPARSECAST_VENDOR_CHECK(
      library.cusparseCreateDnVec(&vector, matrix.columns, input, data_type<T>));
  x_.reset(vector);
  SPARSECAST_VENDOR_CHECK(library.cusparseCreateDnVec(&vector, matrix.rows, output, data_type<T>));
  y_.reset(vector);
  std::size_t bytes = 0;
  SPARSECAST_VENDOR_CHECK(library.cusparseSpMV_bufferSize(
      handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars_.alpha, a_.get(), x_.get(), scalars_.beta,
      y_.get(), data_type<T>, algorithm_, &bytes));
  int device = 0;
  SPARSECAST_CUDA_CHECK(cudaGetDevice(&device));
  require_memory_for(std::string(to_string(algorithm)), static_cast<std::int64_t>(bytes), device,
                     "use f32, or a product of sparsecast");
  workspace_ = DeviceArray<std::byte>(static_cast<std::int64_t>(bytes));
  // Algorithms that have nothing to prepare take it, too.
  SPARSECAST_VENDOR_CHECK(library.cusparseSpMV_preprocess(
      handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars_.alpha, a_.get(), x_.get(), scalars_.beta,
      y_.get(), data_type<T>, algorithm_, workspace_.data()));
}

template <class T>
void CusparseProduct<T>::launch() const {
  const Cusparse& library = cusparse();
  if (!bsrmv_) {
    SPARSECAST_VENDOR_CHECK(library.cusparseSpMV(
        handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars_.alpha, a_.get(), x_.get(),
        scalars_.beta, y_.get(), data_type<T>, algorithm_, workspace_.data()));
    return;
  }
  const auto multiply = [&](auto function) {
    const int n = matrix_->block_size;
    SPARSECAST_VENDOR_CHECK(
        function(handle_, CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE,
                 static_cast<int>(matrix_->rows / n), static_cast<int>(matrix_->columns / n),
                 static_cast<int>(matrix_->indices.size()), scalars_.alpha, description_.get(),
                 matrix_->values.data(), matrix_->offsets.data(), matrix_->indices.data(), n,
                 input_, scalars_.beta, output_));
  };
  if constexpr (std::is_same_v<T, float>) {
    multiply(library.cusparseSbsrmv);
  } else {
    multiply(library.cusparseDbsrmv);
  }
}

template struct CusparseArrays<float>;
template struct CusparseArrays<double>;
template class CusparseProduct<float>;
template class CusparseProduct<double>;

}  // namespace sparsecast::cuda
