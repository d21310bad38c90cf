/**
 * Returns milliseconds of a clock that is never set, for durations. `performance.now` would do, and its first call loads
 * modules of Node for 1 ms.
 */
export function monotonicNow(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}
