import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { vi } from 'vitest'
import { browse } from '../../src/tui/browse.ts'
import type { BrowserEnd, BrowserStart } from '../../src/tui/state/state.ts'
import type { TerminalStreams } from '../../src/tui/terminal/terminal.ts'
import { type Call, contextOf, openStore, type Store } from '../../src/verbs/open.ts'
import { afterTest } from './cleanup.ts'
import { Emulator } from './emulator.ts'

/** The bytes of keys. */
const BYTES: Readonly<Record<string, string>> = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  space: ' ',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  backspace: '\x7f',
}

const ignore = (): void => undefined

class FakeInput extends EventEmitter {
  isRaw = false
  readonly setEncoding = ignore
  readonly pause = ignore
  readonly resume = ignore
  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw
  }
}

class FakeOutput extends EventEmitter {
  columns: number
  rows: number
  readonly #write: (bytes: string) => void

  constructor(columns: number, rows: number, write: (bytes: string) => void) {
    super()
    this.columns = columns
    this.rows = rows
    this.#write = write
  }

  write(bytes: string): boolean {
    this.#write(bytes)
    return true
  }
}

export interface BrowserOptions extends Omit<BrowserStart, 'size'> {
  readonly columns?: number
  readonly rows?: number
  /** The machine whose agents are meant. */
  readonly machine?: Call['machine']
}

/** The browser on an emulated terminal, and what it asked of the program around it. */
export class TestBrowser {
  readonly store: Store
  readonly ended: Promise<BrowserEnd>
  /** The programs that were lent the terminal. */
  readonly programs: (readonly string[])[] = []
  readonly edited: string[] = []
  readonly #emulator: Emulator
  readonly #input = new FakeInput()
  readonly #process = new EventEmitter()
  #writes: Promise<void> = Promise.resolve()

  private constructor(store: Store, { columns = 130, rows = 24, machine, ...beginning }: BrowserOptions) {
    this.store = store
    this.#emulator = new Emulator(columns, rows)
    const output = new FakeOutput(columns, rows, (bytes) => {
      this.#writes = this.#writes.then(() => this.#emulator.write(bytes))
    })
    const streams = { input: this.#input, output, process: this.#process, colored: true }
    this.ended = browse(
      {
        ...(streams as unknown as TerminalStreams),
        context: contextOf(store, { command: 'sess browse', actor: 'person', ...(machine && { machine }) }),
        look: {
          zone: () => 0,
          ascii: false,
          get now() {
            return Date.now()
          },
        },
        runProgram: (words) => {
          this.programs.push(words)
          return Promise.resolve(0)
        },
        runCommand: (words) => {
          this.programs.push(['sess', words])
          return Promise.resolve()
        },
        editText: (text) => {
          this.edited.push(text)
          return Promise.resolve()
        },
      },
      beginning,
    )
  }

  /** Opens the browser on a store in a folder. */
  static async open(folder: string, options: BrowserOptions = {}): Promise<TestBrowser> {
    const store = await openStore(folder, { create: true, cwd: folder, lockTimeout: 60_000 })
    const browser = new TestBrowser(store, options)
    afterTest(async () => {
      browser.signal('SIGTERM')
      await browser.ended.catch(() => undefined)
      await store.close()
    })
    return browser
  }

  /** Types keys, by their names. */
  type(...keys: readonly string[]): void {
    for (const key of keys) this.#input.emit('data', BYTES[key] ?? key)
  }

  /** Presses Escape alone, and waits until it is known to be that. */
  async escape(): Promise<void> {
    this.type('escape')
    await pause(60)
  }

  signal(name: 'SIGTERM' | 'SIGHUP'): void {
    this.#process.emit(name)
  }

  /** Returns the rows of the screen. */
  async screen(): Promise<readonly string[]> {
    await this.#writes
    return this.#emulator.rows
  }

  async isAlternate(): Promise<boolean> {
    await this.#writes
    return this.#emulator.isAlternate
  }

  get isRaw(): boolean {
    return this.#input.isRaw
  }
}

/** Waits until the screen shows a match, and returns its rows. */
export const expectScreen = (browser: TestBrowser, match: RegExp): Promise<readonly string[]> =>
  vi.waitFor(
    async () => {
      const rows = await browser.screen()
      if (match.test(rows.join('\n'))) return rows
      throw new Error(`${match} does not match:\n${rows.join('\n')}`)
    },
    { timeout: 20_000 },
  )
