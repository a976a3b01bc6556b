#include "core/formats/bcsr/cuda/spmv_kernels.cuh"

namespace sparsecast::cuda {

template Launch spmv_launch_of_size<2>(const Multiplication<float>&, const Gate&);
template Launch spmv_launch_of_size<2>(const Multiplication<double>&, const Gate&);

}  // namespace sparsecast::cuda
