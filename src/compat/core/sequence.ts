/** Runs work one after the other, in the order of the calls. */
export class Sequence {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs work once what was begun before has ended, however it ended. Throws as the work. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }
}
