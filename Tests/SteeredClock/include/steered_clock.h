/// A library to preload into a program: its wall clock and its monotonic clock are steered by a file.
///
/// The environment variable STEERED_CLOCK names the file. It holds two native 64-bit integers: the nanoseconds by which the
/// wall clock and the monotonic clock are ahead of the machine's. Timers that wait on the monotonic clock follow.
