#include "core/cuda/vendor/cublas_handle.cuh"

namespace sparsecast::cuda {

CublasHandle create_cublas(cudaStream_t stream, const DeviceArray<std::byte>& workspace) {
  cublasHandle_t handle = nullptr;
  SPARSECAST_VENDOR_CHECK(cublas().cublasCreate_v2(&handle));
  CublasHandle owned(handle);
  SPARSECAST_VENDOR_CHECK(cublas().cublasSetStream_v2(handle, stream));
  SPARSECAST_VENDOR_CHECK(
      cublas().cublasSetWorkspace_v2(handle, workspace.data(), workspace.bytes()));
  return owned;
}

}  // namespace sparsecast::cuda
