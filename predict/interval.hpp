#pragma once

namespace sparsecast {

/// Where to expect a time, in seconds: with probability 90 % unless said otherwise.
struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace sparsecast
