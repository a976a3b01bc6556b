# The CUDA back end, where a toolkit is found. SPARSECAST_HAS_CUDA says whether it is built.
sparsecast_auto_on_off(SPARSECAST_CUDA
  "CUDA back end: AUTO (built when a toolkit is found), ON (a toolkit is required) or OFF")
if(SPARSECAST_CUDA STREQUAL "ON" AND NOT "${SPARSECAST_SANITIZER}" STREQUAL "")
  message(FATAL_ERROR "SPARSECAST_CUDA=ON with SPARSECAST_SANITIZER=${SPARSECAST_SANITIZER}: the "
                      "host's sanitizers do not run CUDA programs; use compute-sanitizer for those")
endif()

set(SPARSECAST_HAS_CUDA FALSE)
if(SPARSECAST_CUDA STREQUAL "ON" OR
   (SPARSECAST_CUDA STREQUAL "AUTO" AND "${SPARSECAST_SANITIZER}" STREQUAL ""))
  # Before the language is enabled, whose own default would be the oldest GPU that nvcc knows: the
  # GPUs that are here; without one the A100's generation and Hopper's, with PTX that the driver of
  # a later GPU compiles. Known to compile: 80 A100, 86 RTX 30, 89 L40S and RTX 40, 90 H100 and
  # H200, 100 B200, 120 RTX 50. A list such as "80-real;90" chooses, here or in the environment's
  # CUDAARCHS; "native" is the GPU that is here.
  set(architectures "80-real;90")
  if(DEFINED ENV{CUDAARCHS})
    set(architectures "$ENV{CUDAARCHS}")
  elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE capabilities RESULT_VARIABLE failed ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed AND capabilities MATCHES "^[0-9]+[.][0-9]")
      string(REPLACE "." "" capabilities "${capabilities}")
      string(REGEX MATCHALL "[0-9]+" architectures "${capabilities}")
      list(REMOVE_DUPLICATES architectures)
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING
      "GPU generations to compile for (compute capability)")
  find_program(SPARSECAST_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda
               PATH_SUFFIXES bin)
  mark_as_advanced(SPARSECAST_NVCC)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND SPARSECAST_NVCC)
    set(CMAKE_CUDA_COMPILER ${SPARSECAST_NVCC})
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    # Their headers only: the libraries are loaded when they are used.
    find_path(SPARSECAST_CUSPARSE_HEADERS NAMES cusparse.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    find_path(SPARSECAST_CUBLAS_HEADERS NAMES cublas_v2.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    mark_as_advanced(SPARSECAST_CUSPARSE_HEADERS SPARSECAST_CUBLAS_HEADERS)
    if(SPARSECAST_CUSPARSE_HEADERS AND SPARSECAST_CUBLAS_HEADERS)
      set(SPARSECAST_HAS_CUDA TRUE)
    elseif(SPARSECAST_CUDA STREQUAL "ON")
      message(FATAL_ERROR "SPARSECAST_CUDA=ON, but this CUDA toolkit has no headers of cuSPARSE and "
                          "cuBLAS: install them, or use SPARSECAST_CUDA=OFF")
    else()
      message(STATUS "the CUDA toolkit has no headers of cuSPARSE and cuBLAS")
    endif()
  elseif(SPARSECAST_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SPARSECAST_CUDA=ON, but there is no CUDA toolkit: put nvcc on the PATH or "
                        "set CUDACXX, or use SPARSECAST_CUDA=OFF")
  endif()
endif()
if(NOT SPARSECAST_HAS_CUDA)
  message(STATUS "built without CUDA")
endif()
