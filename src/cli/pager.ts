import type { OutputStream, Platform, Running, Signal } from './platform.ts'
import { send } from './writer.ts'

/** The size of a terminal that does not say it. */
const ROWS = 24
const COLUMNS = 80

/** The default options of `less`: colours, no alternate screen, exit if everything fits, and on Ctrl-C. */
const LESS = 'FRXK'

const COLORS = /\p{Cc}\[[\d;]*m/gu

/**
 * A screen that lines are written to: what fits on it is written to the terminal at the end, and once it is more than
 * that all of it goes through a pager. Without the pager it goes to the terminal.
 */
export class Pager implements OutputStream {
  readonly #platform: Platform
  readonly #command: readonly string[]
  readonly #handleSignals: () => () => void
  #held: Uint8Array[] = []
  #rows = 0
  #full = false
  #running: Running | undefined

  /**
   * Signals are handled, by `handleSignals`, only while the pager is waited for. Otherwise they end the process, also in
   * the middle of a long calculation, in which no handler would run; the pager then leaves because its parent is gone.
   */
  constructor(platform: Platform, command: readonly string[], handleSignals: () => () => void) {
    this.#platform = platform
    this.#command = command
    this.#handleSignals = handleSignals
  }

  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): boolean {
    if (this.#full) return this.#pass(this.#running ?? this.#platform.stdout, chunk, done)
    this.#held.push(Buffer.from(chunk))
    const { columns, rows } = this.#platform.stdout
    this.#rows += rowsOf(String(chunk), columns || COLUMNS)
    this.#full = this.#rows >= (rows || ROWS)
    if (this.#full) return this.#pass(this.#start(), Buffer.concat(this.#held.splice(0)), done)
    done()
    return true
  }

  #pass(stream: OutputStream, chunk: string | Uint8Array, done: (error?: Error | null) => void): boolean {
    const release = this.#handleSignals()
    return stream.write(chunk, (error) => {
      release()
      done(error)
    })
  }

  #start(): OutputStream {
    const { variables, start, stdout } = this.#platform
    this.#running = start(this.#command, { LESS, ...variables })
    return this.#running ?? stdout
  }

  /** Whether the pager has the terminal: nothing else is to be written there. */
  get running(): boolean {
    return this.#running !== undefined
  }

  /** Passes a signal on to the pager. */
  signal(signal: Signal): void {
    this.#running?.signal(signal)
  }

  /** Ends the output, and resolves when the user has left the pager. */
  async end(): Promise<void> {
    if (this.#running) {
      const release = this.#handleSignals()
      await this.#running.ended().finally(release)
    } else if (this.#held.length > 0) await send(this.#platform.stdout, Buffer.concat(this.#held.splice(0)))
  }
}

/** Returns how many rows a text takes on a terminal. */
const rowsOf = (text: string, columns: number): number =>
  text
    .replace(COLORS, '')
    .split('\n')
    .slice(0, -1)
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0)
