/** What was written last, as long as it is not durable. */
export class Underway {
  #last: Promise<unknown> | undefined

  /** Notes what is on its way; the former is durable before it. */
  begins(durable: Promise<unknown>): void {
    this.#last = durable
  }

  /** Notes that what was on its way is durable, or failed. */
  ends(durable: Promise<unknown> | undefined): void {
    if (this.#last === durable) this.#last = undefined
  }

  /**
   * Resolves once it is durable, or failed, and all was heard that came meanwhile, at once where nothing is; and then once
   * those are there who are likely to come.
   */
  settled(gathered: () => Promise<void> | undefined): Promise<void> | undefined {
    return this.#last === undefined ? gathered() : this.#heard(this.#last, gathered)
  }

  async #heard(last: Promise<unknown>, gathered: () => Promise<void> | undefined): Promise<void> {
    await last.catch(() => undefined)
    await new Promise((done) => setImmediate(done))
    await gathered()
  }
}
