import { setTimeout as pause } from 'node:timers/promises'

/** The waits of one kind of request, in milliseconds. */
export interface Waited {
  readonly kind: string
  readonly count: number
  readonly median: number
  readonly most: number
}

/** Measures how long users of a store wait for each kind of request. */
export class Waits {
  readonly #waits = new Map<string, number[]>()

  /** Does something, and keeps how long it took; what fails is not counted. */
  async measure<T>(kind: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    const done = await work()
    this.add(kind, performance.now() - begun)
    return done
  }

  add(kind: string, wait: number): void {
    const known = this.#waits.get(kind)
    if (known) known.push(wait)
    else this.#waits.set(kind, [wait])
  }

  /** Returns the waits of each kind, the longest first. */
  all(): Waited[] {
    return [...this.#waits]
      .map(([kind, waits]): Waited => {
        const sorted = waits.toSorted((a, b) => a - b)
        return {
          kind,
          count: sorted.length,
          median: Math.round(sorted[sorted.length >> 1] ?? 0),
          most: Math.round(sorted.at(-1) ?? 0),
        }
      })
      .sort((a, b) => b.most - a.most)
  }

  /** Returns the waits as a table for people. */
  table(): string {
    const rows = this.all().map(({ kind, count, median, most }) => [kind, `${count}`, `${median}`, `${most}`])
    return [['request', 'times', 'median ms', 'longest ms'], ...rows]
      .map(([kind = '', ...figures]) => kind.padEnd(44) + figures.map((one) => one.padStart(12)).join(''))
      .join('\n')
  }
}

/** Does something again and again until a signal aborts, with pauses in between. */
export async function repeat(
  signal: AbortSignal,
  milliseconds: number,
  work: (n: number) => Promise<unknown>,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    await work(n)
    await pause(milliseconds, undefined, { signal }).catch(() => undefined)
  }
}
