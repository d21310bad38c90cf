import { type Json, jsonText } from '../model/json.ts'
import { jsonPieces } from '../model/jsonpieces.ts'
import { isPlainLine, safe, safeJson, safeLine } from '../model/terminaltext.ts'
import { lineText, type Piece, painted } from '../text/text.ts'
import { wrap } from '../text/wrap.ts'
import { Pager } from './pager.ts'
import type { OutputStream, Platform, Signal } from './platform.ts'
import { StreamWriter } from './writer.ts'

export interface IoOptions {
  /** Print JSON for programs. */
  readonly json: boolean
  /** When to use colours; called before the first line is printed. */
  readonly color: () => 'auto' | 'always' | 'never'
}

/** The width of lines if the output is no terminal. */
const WIDTH = 100

/** Lines have as many columns at least, and at most: some are filled up to them. */
const [MIN_COLUMNS, MAX_COLUMNS] = [40, 1000]

/** Prints the output of a command: data on stdout, everything else on stderr. */
export class Io {
  readonly json: boolean
  readonly #platform: Platform
  readonly #color: IoOptions['color']
  /** Made on first use: Node takes 2 ms for the streams. */
  #outWriter: StreamWriter | undefined
  #errWriter: StreamWriter | undefined
  #outColor: boolean | undefined
  #errColor: boolean | undefined
  #makePager: (() => Pager) | undefined
  #pager: Pager | undefined
  readonly #decoder = new TextDecoder()
  /** The beginning of a line of which the rest is still to be printed. */
  #unfinished: string[] = []

  constructor(platform: Platform, { json, color }: IoOptions) {
    this.json = json
    this.#platform = platform
    this.#color = color
  }

  get #out(): StreamWriter {
    if (this.#outWriter) return this.#outWriter
    const { stdout } = this.#platform
    if (stdout.isTTY) this.#pager = this.#makePager?.()
    this.#outWriter = new StreamWriter(this.#pager ?? stdout)
    return this.#outWriter
  }

  get #err(): StreamWriter {
    this.#errWriter ??= new StreamWriter(this.#platform.stderr)
    return this.#errWriter
  }

  /** Makes standard output ready, as the first line that is printed would. */
  prepare(): void {
    void this.#out
  }

  /** How many columns a line may have. */
  get columns(): number {
    const { stdout, variables } = this.#platform
    return Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, stdout.columns || Number(variables.COLUMNS) || WIDTH))
  }

  /** How many columns a table may have: those of the terminal; any number where the output is none. */
  get tableColumns(): number {
    const { isTTY = false, columns = 0 } = this.#platform.stdout
    return isTTY || columns > 0 ? this.columns : Number.POSITIVE_INFINITY
  }

  /** Returns the width of a terminal, to which lines are broken; undefined for other outputs. */
  #widthOf({ isTTY = false, columns }: OutputStream): number | undefined {
    return isTTY ? Math.max(MIN_COLUMNS, columns || this.columns) : undefined
  }

  /** The width of help: that of a document, or of a terminal that is narrower. */
  get helpWidth(): number {
    return Math.min(WIDTH, this.#widthOf(this.#platform.stdout) ?? WIDTH)
  }

  /** Shows what is printed in a pager, where it goes to a terminal and is longer than the screen. */
  page(command: readonly string[], handleSignals: () => () => void): void {
    this.#makePager = () => new Pager(this.#platform, command, handleSignals)
  }

  /** Whether a pager has the terminal. */
  get paging(): boolean {
    return this.#pager?.running ?? false
  }

  /** Passes a signal on to the pager, if there is one. */
  signalPager(signal: Signal): void {
    this.#pager?.signal(signal)
  }

  #colored({ isTTY = false }: OutputStream): boolean {
    const when = this.#color()
    return when === 'always' || (when === 'auto' && isTTY && this.#platform.variables.TERM !== 'dumb')
  }

  /** Whether what is printed for people has colours. */
  get colored(): boolean {
    return (this.#outColor ??= this.#colored(this.#platform.stdout))
  }

  /** Prints a line for people; its text is made safe. */
  print(...pieces: readonly Piece[]): Promise<void> | undefined {
    return this.#out.add(fitted(pieces, this.colored, this.#widthOf(this.#platform.stdout)))
  }

  /** Prints many lines for people; their text is made safe all at once. */
  lines(lines: readonly string[]): Promise<void> | undefined {
    const text = lines.join('\n')
    const isPlain = safe(text) === text && !lines.some((line) => line.includes('\n'))
    return this.#out.add(`${isPlain ? text : lines.map(safeLine).join('\n')}\n`)
  }

  /** Prints a text that is our own line by line. */
  text(text: string): Promise<void> | undefined {
    let printed: Promise<void> | undefined
    for (const line of text.split('\n')) printed = this.print(line)
    return printed
  }

  /** Prints a value as one line of JSON; with `zero` a NUL ends it. Await the result before anything else is printed. */
  data(value: unknown, zero = false): Promise<void> | undefined {
    const pieces = jsonPieces(value as Json)
    for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
      const added = this.#out.add(safeJson(next.value))
      if (added) return this.#restOf(pieces, endOf(zero), added)
    }
    return this.#out.add(endOf(zero))
  }

  /** Prints pieces of a JSON text as one line, no faster than they are written. */
  async dataPieces(pieces: AsyncIterable<string>): Promise<void> {
    for await (const piece of pieces) await this.#out.add(safeJson(piece))
    await this.#out.add('\n')
  }

  /** Prints the rest of a JSON text no faster than it is written. */
  async #restOf(pieces: Iterable<string>, end: string, before: Promise<void>): Promise<void> {
    await before
    for (const piece of pieces) await this.#out.add(safeJson(piece))
    await this.#out.add(end)
  }

  /** Prints a line for scripts: as JSON where that is asked for; with `zero` a NUL ends it. */
  record(text: string, value: unknown, zero = false): Promise<void> | undefined {
    return this.json
      ? this.data(value, zero)
      : this.#out.add(zero ? `${safe(text)}\0` : `${safeLine(text)}\n`)
  }

  /** Prints bytes as they are; on a terminal, as lines in which nothing can steer it. */
  async bytes(bytes: Uint8Array): Promise<void> {
    if (this.#platform.stdout.isTTY !== true) return this.#out.bytes(bytes)
    const text = this.#decoder.decode(bytes, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    if (end === 0) this.#unfinished.push(text)
    else {
      await this.#out.add(safeLines(this.#unfinished.join('') + text.slice(0, end)))
      this.#unfinished = [text.slice(end)]
    }
  }

  /** Prints a line on stderr, for people. */
  note(...pieces: readonly Piece[]): Promise<void> | undefined {
    const { stderr } = this.#platform
    return this.#err.add(fitted(pieces, (this.#errColor ??= this.#colored(stderr)), this.#widthOf(stderr)))
  }

  /** Prints a value as one line of JSON on stderr. */
  noteData(value: Json): Promise<void> | undefined {
    return this.#err.add(`${safeJson(jsonText(value))}\n`)
  }

  /** Replaces the last line on stderr by one that fits, where the terminal is free; an empty text clears it. */
  status(text: string): Promise<void> {
    if (this.paging) return Promise.resolve()
    void this.#err.add(`\r\x1b[K${safeLine(text)}`)
    return this.#err.flush()
  }

  /** Writes out what was printed on stdout. */
  async flushData(): Promise<void> {
    await this.#outWriter?.flush()
  }

  /** Writes out what was printed on stderr. */
  async flushNotes(): Promise<void> {
    await this.#errWriter?.flush()
  }

  /** Writes out what was printed. */
  async flush(): Promise<void> {
    await this.flushData()
    await this.flushNotes()
  }

  /** Writes all that is left for stdout, and waits until the pager has ended. */
  async endData(): Promise<void> {
    try {
      const rest = this.#unfinished.join('') + this.#decoder.decode()
      if (rest !== '') await this.#out.add(safeLines(rest))
      await this.flushData()
    } finally {
      await this.#pager?.end()
    }
  }
}

/** Returns lines that can be shown: JSON stays JSON. */
const safeLines = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/[^\n]+/g, (line) => (/^\s*[[{"]/.test(line) ? safeJson(line) : safe(line)))

const endOf = (zero: boolean): string => (zero ? '\0' : '\n')

/** Returns a line, broken to fit into the columns of a terminal. */
function fitted(pieces: readonly Piece[], color: boolean, columns: number | undefined): string {
  if (columns === undefined) return `${rendered(pieces, color)}\n`
  const safePieces = pieces.map((piece) =>
    typeof piece === 'string' ? safeLine(piece) : { ...piece, text: safeLine(piece.text) },
  )
  return wrap(safePieces, columns)
    .map((line) => `${rendered(line, color)}\n`)
    .join('')
}

function rendered(pieces: readonly Piece[], color: boolean): string {
  const plain = color ? undefined : lineText(pieces)
  if (plain !== undefined && isPlainLine(plain)) return plain
  let line = ''
  for (const piece of pieces)
    if (typeof piece === 'string') line += safeLine(piece)
    else line += color ? painted(piece.look, safeLine(piece.text)) : safeLine(piece.text)
  return line
}
