#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace sparsecast {

/// While it lives, this thread's arithmetic takes and gives zero in place of denormal numbers,
/// which would slow a run of many iterations down when its residual has become tiny.
class DenormalsAreZero {
 public:
#ifdef __SSE2__
  DenormalsAreZero() : saved_(_mm_getcsr()) {
    _mm_setcsr(saved_ | 0x8040u);
  }
  ~DenormalsAreZero() {
    _mm_setcsr(saved_);
  }

 private:
  unsigned saved_;
#endif
};

}  // namespace sparsecast
