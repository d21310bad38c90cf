/** Lets one piece of work in at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve()

  async lock(): Promise<() => void> {
    const before = this.#last
    let unlock: () => void = () => undefined
    this.#last = new Promise((resolve) => {
      unlock = resolve
    })
    await before
    return unlock
  }
}
