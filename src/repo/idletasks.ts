/** Milliseconds without a write after which the tasks begin. */
const QUIET = 20

/** Runs tasks that may as well run later or never, once nothing was written for a moment. */
export class IdleTasks {
  readonly #mayBegin: () => boolean
  readonly #tasks = new Map<string, () => Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  /** `mayBegin` returns whether the database is open here and nothing is being written. */
  constructor(mayBegin: () => boolean) {
    this.#mayBegin = mayBegin
  }

  /** Adds a task, in place of the one with the same name. */
  add(name: string, task: () => Promise<void>): void {
    this.#tasks.set(name, task)
    this.#timer ??= setTimeout(() => this.#begin(), QUIET).unref()
    this.#timer.refresh()
  }

  /** Waits again, because something was written. */
  postpone(): void {
    if (this.#tasks.size > 0) this.#timer?.refresh()
  }

  #begin(): void {
    const [next] = this.#tasks
    if (!next || !this.#mayBegin()) return
    const [name, task] = next
    this.#tasks.delete(name)
    // Where it fails, the next command reports why.
    task().catch(() => undefined)
    if (this.#tasks.size > 0) this.#timer?.refresh()
  }

  /** Drops all tasks. */
  end(): void {
    clearTimeout(this.#timer)
    this.#tasks.clear()
  }
}
