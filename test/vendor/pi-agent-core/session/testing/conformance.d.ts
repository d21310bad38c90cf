/** A case of the suite, which can be registered with any test framework. */
export interface SessionBackendConformanceCase {
  readonly group: string
  readonly name: string
  run(): Promise<void>
}

/** Returns the cases; each creates its own backend, and disposes of it. */
export declare function createSessionBackendConformance(
  factory: () => Promise<{ readonly repository: unknown } & AsyncDisposable>,
): readonly SessionBackendConformanceCase[]
