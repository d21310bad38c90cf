import { Unicode11Addon } from '@xterm/addon-unicode11'
import xterm from '@xterm/headless'

/** The tables by which terminals measure text; they disagree about joined pictures, flags and marks. */
export const WIDTH_TABLES = ['6', '11', '15-graphemes'] as const

// Its table is read from the beginning of the memory of a buffer, which must not be shared then.
const { poolSize } = Buffer
Buffer.poolSize = 0
const { UnicodeGraphemesAddon } = await import('@xterm/addon-unicode-graphemes')
Buffer.poolSize = poolSize

/** A terminal in memory. */
export class Emulator {
  readonly #terminal: InstanceType<typeof xterm.Terminal>

  constructor(columns: number, rows: number, table: (typeof WIDTH_TABLES)[number] = '6') {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
    this.#terminal.loadAddon(new Unicode11Addon())
    this.#terminal.loadAddon(new UnicodeGraphemesAddon())
    this.#terminal.unicode.activeVersion = table
  }

  /** Shows what a program wrote. */
  write(bytes: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve))
  }

  /** Returns the rows of the screen without blanks at their ends. */
  get rows(): string[] {
    const { active } = this.#terminal.buffer
    return Array.from({ length: this.#terminal.rows }, (_, y) =>
      (active.getLine(active.viewportY + y)?.translateToString(true) ?? '').trimEnd(),
    )
  }

  /** Returns the text of one cell. */
  cell(x: number, y: number): string {
    return this.#terminal.buffer.active.getLine(y)?.getCell(x)?.getChars() ?? ''
  }

  /** Returns whether a cell is shown in reverse. */
  isReverse(x: number, y: number): boolean {
    return (this.#terminal.buffer.active.getLine(y)?.getCell(x)?.isInverse() ?? 0) !== 0
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate'
  }
}
