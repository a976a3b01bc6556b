#pragma once

#include <string>

namespace sparsecast {

/// How a library of kernels carries out a method that is written down call by call: each product,
/// and each step of vectors, is one call from the host, which makes one kernel. Products are
/// cuSPARSE's, single dot products cuBLAS's. The host is not held up by what it has called, but
/// where it waits for a result.
struct LibraryExecution {
  /// Where something is carried out.
  enum class Place {
    host,
    device,   ///< by kernels on single values
    kernels,  ///< within those that use it
  };

  std::string library;           ///< with its version: "CuPy 14"
  bool measured = false;         ///< forecasts have been held against it
  double host_call_seconds = 0;  ///< of the host for a call, and behind each wait
  bool cublas_vectors = false;   ///< assignments of vectors are cuBLAS's, not kernels of its own
  /// Of its kernels on vectors but single dot products: how fast bytes move, over our own kernels.
  double vector_rate = 1;
  Place sums = Place::device;     ///< where a dot product goes; to the host, which waits for it
  Place scalars = Place::device;  ///< where scalar steps are carried out
  int check_kernels = 1;          ///< of a check of sums that are on the device, a call each
  int check_waits = 1;            ///< of the host for what they found

  friend bool operator==(const LibraryExecution&, const LibraryExecution&) = default;
};

}  // namespace sparsecast
