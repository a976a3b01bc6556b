#include "core/cuda/spmv_kernels.cuh"

namespace sparsecast::cuda {

template Launch spmv_launch(const Multiplication<float>&, const Gate&);

}  // namespace sparsecast::cuda
