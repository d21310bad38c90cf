/** What a process that has a store's database says of what it does, to those who wait for it. */
export interface Pace {
  /** Another number once something went on. */
  readonly steps: number
  /** Whether it waits for the disk, or writes a long piece of work: then a step may take long. */
  readonly isLong: boolean
}

/** Counts the steps of what is done, and the long pieces of work that are being written. */
export class PaceMaker {
  #steps = 0
  #long = 0

  get pace(): Pace {
    return { steps: this.#steps, isLong: this.#long > 0 }
  }

  step(): void {
    this.#steps++
  }

  /** Does a long piece of work. */
  async long<T>(work: Promise<T>): Promise<T> {
    this.#long++
    try {
      return await work
    } finally {
      this.#long--
    }
  }
}
