#include "core/cuda/vendor/vendor_libraries.cuh"

#include <string>

#include "core/base/files/shared_library.hpp"
#include "core/cuda/device/failed_call.hpp"

namespace sparsecast::cuda {

#define SPARSECAST_FIND(name) library.find(#name, functions.name);
const Cusparse& cusparse() {
  static const Cusparse all = [] {
    const SharedLibrary library("libcusparse.so." + std::to_string(CUSPARSE_VER_MAJOR),
                                "cuSPARSE, of the CUDA toolkit");
    Cusparse functions;
    SPARSECAST_CUSPARSE_FUNCTIONS(SPARSECAST_FIND)
    return functions;
  }();
  return all;
}

const Cublas& cublas() {
  static const Cublas all = [] {
    const SharedLibrary library("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR),
                                "cuBLAS, of the CUDA toolkit");
    Cublas functions;
    SPARSECAST_CUBLAS_FUNCTIONS(SPARSECAST_FIND)
    return functions;
  }();
  return all;
}

const Nvrtc& nvrtc() {
  static const Nvrtc all = [] {
    const SharedLibrary library("libnvrtc.so." + std::to_string(CUDART_VERSION / 1000),
                                "NVRTC, of the CUDA toolkit");
    Nvrtc functions;
    SPARSECAST_NVRTC_FUNCTIONS(SPARSECAST_FIND)
    return functions;
  }();
  return all;
}

const Driver& driver() {
  static const Driver all = [] {
    const SharedLibrary library("libcuda.so.1", "NVIDIA's driver, of CUDA 12.4 or newer");
    Driver functions;
    SPARSECAST_DRIVER_FUNCTIONS(SPARSECAST_FIND)
    return functions;
  }();
  return all;
}
#undef SPARSECAST_FIND

void check(cusparseStatus_t status, const char* call, const char* file, int line) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  fail_call(cusparse().cusparseGetErrorString(status), call, file, line);
}

void check(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail_call(cublas().cublasGetStatusString(status), call, file, line);
}

void check(nvrtcResult status, const char* call, const char* file, int line) {
  if (status == NVRTC_SUCCESS) return;
  fail_call(nvrtc().nvrtcGetErrorString(status), call, file, line);
}

void check(CUresult status, const char* call, const char* file, int line) {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const bool known = driver().cuGetErrorName(status, &name) == CUDA_SUCCESS;
  fail_call(known ? name : std::to_string(static_cast<int>(status)), call, file, line);
}

}  // namespace sparsecast::cuda
