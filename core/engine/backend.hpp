#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// What a run really did, counted while running, per device where it says so. A test holds it
/// against the schedule.
struct RunCounters {
  std::int64_t iterations = 0;
  std::int64_t kernels = 0;     ///< kernel and reduce steps, on each device
  std::int64_t reductions = 0;  ///< reduce steps
  std::int64_t exchanges = 0;   ///< exchange steps
  std::int64_t barriers = 0;    ///< synchronisations of all devices, those inside reductions too
  std::int64_t launches = 0;    ///< as declared by the steps that ran
  /// Kernels that the host has really launched, alone or in graphs, with those that found the run
  /// ended; and how often it waited for the device. 0 on the CPU.
  std::int64_t submitted_launches = 0;
  std::int64_t host_waits = 0;
  /// Values that devices sent and received in exchanges, all devices of this process together; 0
  /// with one device.
  std::int64_t exchanged_values = 0;
  /// What the kernels were handed to read and write, all devices together, from the operands and
  /// arrays themselves (not from the schedule's `Traffic`, against which it can be held). Of the
  /// matrix what the kernel that ran stores, in shared memory too, whatever the layout says.
  BytesByKind bytes;
};

struct RunReport {
  Outcome outcome = Outcome::iteration_limit;
  /// Of this call. An iteration that a check ends counts if a kernel ran in it.
  std::int64_t iterations = 0;
};

/// A schedule with its matrix and vectors in a back end's memory, ready to run.
template <class T>
class PreparedSchedule {
 public:
  virtual ~PreparedSchedule() = default;

  /// Copies a whole vector (x values, in the order of the matrix) to or from the devices. For
  /// `full` vectors every device gets all of it.
  virtual void set_vector(std::string_view name, std::span<const T> values) = 0;
  virtual void get_vector(std::string_view name, std::span<T> values) const = 0;

  /// Sets value i of a whole vector to `pattern[i % pattern.size()]`, on the devices: nothing as
  /// long as the vector is copied to them. The pattern is not empty.
  virtual void repeat_in_vector(std::string_view name, std::span<const T> pattern) = 0;

  virtual void set_scalar(std::string_view name, double value) = 0;
  virtual double scalar(std::string_view name) const = 0;

  /// Runs the setup steps once; a check among them may already end the run.
  virtual RunReport run_setup() = 0;

  /// Runs the iteration steps up to this many times, less if a check ends it; a later call goes on
  /// where this one stopped. A non-finite value in a scalar that a check tests ends the run with
  /// `Outcome::not_finite`.
  virtual RunReport run(std::int64_t iterations) = 0;

  /// Runs the finish steps once, however the run ended.
  virtual void run_finish() = 0;

  virtual RunCounters counters() const = 0;

  /// The size of each device's segment.
  virtual std::vector<SegmentShape> segments() const = 0;

  /// Bytes allocated on each device for matrix and vectors.
  virtual std::vector<std::int64_t> bytes_per_device() const = 0;

  /// Seconds spent converting the matrix to the layout, and copying it to the devices.
  virtual double conversion_seconds() const = 0;
  virtual double upload_seconds() const = 0;
};

/// A set of devices that run schedules. One subclass a kind of device: `CpuBackend`,
/// `CudaBackend`.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual int device_count() const = 0;
  /// For people: "AMD EPYC, 2 threads".
  virtual std::string description() const = 0;

  /// Allocates, converts and cuts the matrix into segments of similar numbers of stored blocks.
  /// Columns must rise within rows. Throws `Error` when a kernel is not known to this back end,
  /// and when memory does not suffice (how much is needed, how much is free).
  virtual std::unique_ptr<PreparedSchedule<float>> prepare(const Schedule& schedule,
                                                           const CsrView<float>& matrix,
                                                           const Layout& layout) = 0;
  virtual std::unique_ptr<PreparedSchedule<double>> prepare(const Schedule& schedule,
                                                            const CsrView<double>& matrix,
                                                            const Layout& layout) = 0;

  /// The same beside a schedule that was prepared with the same matrix in the same layout, on the
  /// same devices: what those hold of the matrix is shared where the back end can, and takes no
  /// time again (the seconds that are told are those of then).
  virtual std::unique_ptr<PreparedSchedule<float>> prepare_beside(
      const PreparedSchedule<float>& /*other*/, const Schedule& schedule,
      const CsrView<float>& matrix, const Layout& layout) {
    return prepare(schedule, matrix, layout);
  }
  virtual std::unique_ptr<PreparedSchedule<double>> prepare_beside(
      const PreparedSchedule<double>& /*other*/, const Schedule& schedule,
      const CsrView<double>& matrix, const Layout& layout) {
    return prepare(schedule, matrix, layout);
  }

  /// The same for a schedule without SpMV: vectors only, of this many unknowns.
  virtual std::unique_ptr<PreparedSchedule<float>> prepare_vectors_f32(const Schedule& schedule,
                                                                       std::int64_t unknowns) = 0;
  virtual std::unique_ptr<PreparedSchedule<double>> prepare_vectors_f64(const Schedule& schedule,
                                                                        std::int64_t unknowns) = 0;
};

}  // namespace sparsecast
