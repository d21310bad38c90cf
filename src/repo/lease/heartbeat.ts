/** The progress that a process reports with each heartbeat. */
export interface Progress {
  /** Another number once anything was done. */
  readonly steps: number
  /** Whether it waits for the disk or runs a long unit of work, of which a step may take long. */
  readonly isLong: boolean
}

/** Counts steps of work, and the long units of work that are being written. */
export class ProgressCounter {
  #steps = 0
  #long = 0

  get progress(): Progress {
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
