import type { Candidate } from './findsources.ts'

/** The progress of an import: files that were looked at and their bytes, of all files. */
export interface ImportProgress {
  readonly files: number
  readonly bytes: number
  readonly ofFiles: number
  readonly ofBytes: number
}

type OnProgress = ((progress: ImportProgress) => void) | undefined

/** A file that waits for the file in which its history is. */
interface WaitingFile {
  readonly candidate: Candidate
  readonly page: string
  readonly base: string
}

/** The files that are still to be imported; the first one stays until it is dropped. */
export class Queue {
  #open: readonly Candidate[]
  /** The place of each path among all, in the order in which they were found. */
  readonly #places = new Map<string, number>()
  #at = 0
  #deferred: Candidate[] = []
  /** The files that wait for others, which may still come. */
  #waiting: WaitingFile[] = []
  readonly #final = new Set<string>()
  /** One or two of those that were found without an error. */
  readonly #sound: readonly string[]
  readonly #onProgress: OnProgress
  #ofFiles: number
  #ofBytes: number
  #files = 0
  #bytes = 0

  constructor(found: Iterable<Candidate>, onProgress: OnProgress) {
    const all = [...found]
    this.#open = all
    all.forEach(({ path }, i) => this.#places.set(path, i))
    this.#sound = all
      .filter(({ error }) => !error)
      .slice(0, 2)
      .map(({ path }) => path)
    this.#onProgress = onProgress
    this.#ofFiles = all.length
    this.#ofBytes = all.reduce((sum, { size }) => sum + size, 0)
    this.report(0)
  }

  get first(): Candidate | undefined {
    return this.#open[this.#at]
  }

  drop(): void {
    this.#bytes += this.first?.size ?? 0
    this.#files++
    this.#at++
    this.report(0)
  }

  /** Inserts the sources that were found in the first, after it. */
  add(inside: readonly Candidate[]): void {
    const place = this.place(this.first?.path ?? '')
    inside.forEach(({ path }, i) => this.#places.set(path, place + (i + 1) / (inside.length + 1)))
    this.#open = [...this.#open.slice(this.#at, this.#at + 1), ...inside, ...this.#open.slice(this.#at + 1)]
    this.#at = 0
    this.#ofFiles += inside.length
    this.#ofBytes += inside.reduce((sum, { size }) => sum + size, 0)
  }

  /** Returns the position of a path in the order in which files were found. */
  place(path: string): number {
    return this.#places.get(path) ?? 0
  }

  /** Returns whether any other file is imported if one path is refused. */
  hasOthers(path: string): boolean {
    return this.#sound.some((sound) => sound !== path)
  }

  /** Defers the first. */
  defer(): void {
    if (this.first) this.#deferred.push(this.first)
    this.#at++
  }

  /** Has the first wait until the file with the id `base` is imported; `page` is its own id. */
  wait(page: string, base: string): void {
    if (this.first) this.#waiting.push({ candidate: this.first, page, base })
    this.#at++
  }

  /** Returns whether a file has waited for all others: it waits no more. */
  isFinal(path: string): boolean {
    return this.#final.has(path)
  }

  /**
   * Puts the deferred files before all others, in their order. After the others come those that waited: first those that wait
   * for no waiting one, or all where each waits for another.
   */
  recall(): void {
    this.#open = [...this.#deferred, ...this.#open.slice(this.#at)]
    this.#deferred = []
    this.#at = 0
    if (this.#open.length > 0) return
    const pages = new Set(this.#waiting.map(({ page }) => page))
    const ready = this.#waiting.filter(({ base }) => !pages.has(base))
    const released = ready.length > 0 ? ready : this.#waiting
    this.#waiting = ready.length > 0 ? this.#waiting.filter(({ base }) => pages.has(base)) : []
    this.#open = released.map(({ candidate }) => candidate)
    for (const { path } of this.#open) this.#final.add(path)
  }

  /** Reports progress, with this many bytes read of the first. */
  report(read: number): void {
    const [files, bytes] = [this.#files, this.#bytes + read]
    this.#onProgress?.({ files, bytes, ofFiles: this.#ofFiles, ofBytes: this.#ofBytes })
  }
}
