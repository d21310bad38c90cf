/** The progress that a process reports with each heartbeat. */
export interface HolderProgress {
  /** Increases with each step. */
  readonly steps: number
  /** Whether it waits for the disk or runs a long unit of work, of which a step may take long. */
  readonly isLong: boolean
}

/** Counts steps of work, and the long units of work that are being written. */
export class ProgressCounter {
  #steps = 0
  #long = 0

  get progress(): HolderProgress {
    return { steps: this.#steps, isLong: this.#long > 0 }
  }

  step(): void {
    this.#steps++
  }

  /** Runs a long unit of work. */
  async long<T>(work: Promise<T>): Promise<T> {
    this.#long++
    try {
      return await work
    } finally {
      this.#long--
    }
  }
}

/** Milliseconds without a heartbeat, or with heartbeats that report no progress, after which a holder is suspected. */
export const TIMEOUT = 1500

/** The milliseconds where a step may take long, or the holder does not report progress. */
export const LONG_TIMEOUT = 10_000

/** Suspects a holder without progress, even if it answers. Times are milliseconds of a monotonic clock. */
export class FailureDetector {
  #heard = 0
  #moved = 0
  #steps: number | undefined
  #isLong = true

  /** Begins to wait: time before does not count. */
  begin(now: number): void {
    this.#heard = now
    this.#moved = now
    this.#steps = undefined
    this.#isLong = true
  }

  /** Records an answer to a request. */
  done(now: number): void {
    this.#heard = now
    this.#moved = now
  }

  /** Records a heartbeat. */
  heartbeat(now: number, progress: HolderProgress | undefined): void {
    this.#heard = now
    if (this.#steps !== undefined && this.#steps !== progress?.steps) this.#moved = now
    this.#steps = progress?.steps
    this.#isLong = progress?.isLong ?? true
  }

  /** Returns the milliseconds since the last known progress. */
  waits(now: number): number {
    return now - this.#moved
  }

  isSuspect(now: number): boolean {
    return now - this.#heard > TIMEOUT || this.waits(now) > (this.#isLong ? LONG_TIMEOUT : TIMEOUT)
  }
}

/** Suspects a holder that cannot be reached. */
export class UnreachableHolder {
  #met: { readonly holder: string; readonly since: number } | undefined

  /** Records which holder was found, as text, and returns whether it has been the same one for too long. */
  isSuspect(holder: string, now: number): boolean {
    if (this.#met?.holder !== holder) this.#met = { holder, since: now }
    return now - this.#met.since > TIMEOUT
  }

  /** Records that the holder was reached. */
  forget(): void {
    this.#met = undefined
  }
}
