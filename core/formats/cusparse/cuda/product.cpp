#include "core/formats/cusparse/cuda/product.cuh"

#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/device/device_memory.cuh"
#include "core/formats/bcsr/bcsr.hpp"

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

}  // namespace

CusparseHandle create_cusparse(cudaStream_t stream) {
  cusparseHandle_t handle = nullptr;
  SPARSECAST_VENDOR_CHECK(cusparse().cusparseCreate(&handle));
  CusparseHandle owned(handle);
  SPARSECAST_VENDOR_CHECK(cusparse().cusparseSetStream(handle, stream));
  return owned;
}

template <class T>
CusparseArrays<T>::CusparseArrays(const CsrView<T>& matrix, int n)
    : rows(matrix.rows), columns(matrix.columns), block_size(n) {
  if (n == 1) {
    narrow(matrix.nonzeros());
    offsets = upload_offsets(matrix.row_offsets);
    indices = DeviceArray<std::int32_t>(matrix.column_indices);
    values = DeviceArray<T>(matrix.values);
    return;
  }
  const BcsrMatrix<T> blocks = convert_to_bcsr(matrix, {0, matrix.rows}, block_layout(n));
  narrow(static_cast<std::int64_t>(blocks.values.size()));
  rows = blocks.block_rows * n;
  columns = (columns + n - 1) / n * n;
  offsets = upload_offsets(blocks.block_offsets);
  indices = DeviceArray<std::int32_t>(std::span<const std::int32_t>(blocks.block_columns));
  values = DeviceArray<T>(std::span<const T>(blocks.values));
}

template <class T>
std::int64_t CusparseArrays<T>::bytes_of(const CsrView<T>& matrix, int n) {
  const std::int64_t blocks =
      n == 1 ? matrix.nonzeros() : count_blocks(matrix.pattern(), {0, matrix.rows}, n).back();
  return bytes_of(matrix.rows, blocks, n);
}

template <class T>
std::int64_t CusparseArrays<T>::bytes_of(std::int64_t rows, std::int64_t blocks, int n) {
  const std::int64_t block_bytes = static_cast<std::int64_t>(sizeof(T)) * n * n + 4;
  return blocks * block_bytes + (rows / n + 2) * 4;
}

template <class T>
CusparseProduct<T>::CusparseProduct(cusparseHandle_t handle, const CusparseArrays<T>& matrix,
                                    VendorAlgorithm algorithm, T* input, T* output,
                                    const CusparseScalars<T>& scalars)
    : handle_(handle), matrix_(&matrix), scalars_(scalars), input_(input), output_(output) {
  const bool blocks = algorithm == VendorAlgorithm::bsr || algorithm == VendorAlgorithm::bsrmv;
  if (blocks != (matrix.block_size > 1)) {
    throw Error(std::string(to_string(algorithm)) + " in blocks of " +
                std::to_string(matrix.block_size) + "; expected " + (blocks ? "2 or more" : "1"));
  }
  const Cusparse& library = cusparse();
  if (algorithm == VendorAlgorithm::bsrmv) {
    bsrmv_ = true;
    cusparseMatDescr_t description = nullptr;
    SPARSECAST_VENDOR_CHECK(library.cusparseCreateMatDescr(&description));
    description_.reset(description);
    return;
  }
  const int n = matrix.block_size;
  cusparseSpMatDescr_t a = nullptr;
  if (blocks) {
    SPARSECAST_VENDOR_CHECK(library.cusparseCreateBsr(
        &a, matrix.rows / n, matrix.columns / n, matrix.indices.size(), n, n, matrix.offsets.data(),
        matrix.indices.data(), matrix.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, data_type<T>, CUSPARSE_ORDER_ROW));
  } else {
    algorithm_ =
        algorithm == VendorAlgorithm::csr_alg1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
    SPARSECAST_VENDOR_CHECK(library.cusparseCreateCsr(
        &a, matrix.rows, matrix.columns, matrix.indices.size(), matrix.offsets.data(),
        matrix.indices.data(), matrix.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, data_type<T>));
  }
  a_.reset(a);
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
