#include "core/formats/bcsr/cuda/spmv.cuh"

namespace sparsecast::cuda {

template <class T>
Launch spmv_launch(const Multiplication<T>& multiplication, const Gate& gate) {
  return with_block_size(multiplication.block_size, [&](auto size) {
    return spmv_launch_of_size<size()>(multiplication, gate);
  });
}

template Launch spmv_launch(const Multiplication<float>&, const Gate&);
template Launch spmv_launch(const Multiplication<double>&, const Gate&);

}  // namespace sparsecast::cuda
