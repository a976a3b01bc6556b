#pragma once

namespace sparsecast::cuda {

/// First in a kernel that is launched by `launch_early`: returns when the kernel before has ended
/// and all that it wrote is there, and lets the kernel behind come.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace sparsecast::cuda
