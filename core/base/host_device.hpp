#pragma once

/// @file
/// Functions that the host's compiler and a GPU's both compile.

#if defined(__CUDACC__)
#define SPARSECAST_HOST_DEVICE __host__ __device__
#else
#define SPARSECAST_HOST_DEVICE
#endif
