#pragma once

#include <cublas_v2.h>
#include <cuda.h>
#include <cusparse.h>
#include <nvrtc.h>

/// @file
/// cuSPARSE, cuBLAS, NVRTC and what the runtime lacks of the driver, loaded when they are first
/// used. They are large: linked, they would cost every start of the program (also those that only
/// predict) tens of milliseconds, and keep it from starting where they are missing.

// What is called of each. The names are those of the binary interface ("cublasCreate_v2").
#define SPARSECAST_CUSPARSE_FUNCTIONS(USE) \
  USE(cusparseCreate)                      \
  USE(cusparseDestroy)                     \
  USE(cusparseSetStream)                   \
  USE(cusparseSetPointerMode)              \
  USE(cusparseGetErrorString)              \
  USE(cusparseCreateCsr)                   \
  USE(cusparseCreateBsr)                   \
  USE(cusparseCreateCoo)                   \
  USE(cusparseCreateSlicedEll)             \
  USE(cusparseDestroySpMat)                \
  USE(cusparseCreateDnVec)                 \
  USE(cusparseDestroyDnVec)                \
  USE(cusparseSpMV)                        \
  USE(cusparseSpMV_bufferSize)             \
  USE(cusparseSpMV_preprocess)             \
  USE(cusparseCreateMatDescr)              \
  USE(cusparseDestroyMatDescr)             \
  USE(cusparseSbsrmv)                      \
  USE(cusparseDbsrmv)

#define SPARSECAST_CUBLAS_FUNCTIONS(USE) \
  USE(cublasCreate_v2)                   \
  USE(cublasDestroy_v2)                  \
  USE(cublasSetStream_v2)                \
  USE(cublasSetPointerMode_v2)           \
  USE(cublasSetWorkspace_v2)             \
  USE(cublasGetStatusString)             \
  USE(cublasSdot_v2)                     \
  USE(cublasDdot_v2)                     \
  USE(cublasSaxpy_v2)                    \
  USE(cublasDaxpy_v2)                    \
  USE(cublasSscal_v2)                    \
  USE(cublasDscal_v2)                    \
  USE(cublasScopy_v2)                    \
  USE(cublasDcopy_v2)                    \
  USE(cublasSgemv_v2)                    \
  USE(cublasDgemv_v2)

#define SPARSECAST_NVRTC_FUNCTIONS(USE) \
  USE(nvrtcGetErrorString)              \
  USE(nvrtcVersion)                     \
  USE(nvrtcGetNumSupportedArchs)        \
  USE(nvrtcGetSupportedArchs)           \
  USE(nvrtcCreateProgram)               \
  USE(nvrtcDestroyProgram)              \
  USE(nvrtcCompileProgram)              \
  USE(nvrtcGetProgramLogSize)           \
  USE(nvrtcGetProgramLog)               \
  USE(nvrtcGetCUBINSize)                \
  USE(nvrtcGetCUBIN)

#define SPARSECAST_DRIVER_FUNCTIONS(USE) \
  USE(cuGetErrorName)                    \
  USE(cuCtxGetCurrent)                   \
  USE(cuCtxSetCurrent)                   \
  USE(cuCtxGetDevResource)               \
  USE(cuDeviceGetDevResource)            \
  USE(cuDevSmResourceSplitByCount)       \
  USE(cuDevResourceGenerateDesc)         \
  USE(cuGreenCtxCreate)                  \
  USE(cuCtxFromGreenCtx)

namespace sparsecast::cuda {

#define SPARSECAST_MEMBER(name) decltype(&::name) name = nullptr;
struct Cusparse {
  SPARSECAST_CUSPARSE_FUNCTIONS(SPARSECAST_MEMBER)
};
struct Cublas {
  SPARSECAST_CUBLAS_FUNCTIONS(SPARSECAST_MEMBER)
};
struct Nvrtc {
  SPARSECAST_NVRTC_FUNCTIONS(SPARSECAST_MEMBER)
};
struct Driver {
  SPARSECAST_DRIVER_FUNCTIONS(SPARSECAST_MEMBER)
};
#undef SPARSECAST_MEMBER

/// The functions of the libraries with the version that this program was compiled for. The first
/// call loads; it throws `Error` that names the file and what to install when there is none.
const Cusparse& cusparse();
const Cublas& cublas();
const Nvrtc& nvrtc();
/// Of CUDA 12.4 or newer.
const Driver& driver();

void check(cusparseStatus_t status, const char* call, const char* file, int line);
void check(cublasStatus_t status, const char* call, const char* file, int line);
void check(nvrtcResult status, const char* call, const char* file, int line);
void check(CUresult status, const char* call, const char* file, int line);

}  // namespace sparsecast::cuda

/// Every call of the libraries goes through this, as those of the CUDA runtime do through
/// SPARSECAST_CUDA_CHECK: `Error` with the library's own words, the call and its place.
#define SPARSECAST_VENDOR_CHECK(call) ::sparsecast::cuda::check((call), #call, __FILE__, __LINE__)
