import { Session } from 'node:inspector/promises'

/** Reports which parts of the sources were reached for the first time, as the engine itself counts them. */
export class Coverage {
  readonly #session = new Session()
  readonly #seen = new Set<string>()

  async begin(): Promise<void> {
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Returns how many parts were reached since it was asked last that never were before. */
  async fresh(): Promise<number> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    const before = this.#seen.size
    for (const { url, functions } of result) {
      if (!url.includes('/src/')) continue
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0)
            this.#seen.add(`${url} ${startOffset} ${endOffset} ${Math.min(3, Math.floor(Math.log2(count)))}`)
    }
    return this.#seen.size - before
  }

  end(): void {
    this.#session.disconnect()
  }
}
