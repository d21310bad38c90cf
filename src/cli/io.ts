import { type Json, jsonText } from '../model/json.ts'
import { safe, safeJson } from './safe.ts'
import { type Piece, painted } from './style.ts'
import type { Output, World } from './world.ts'
import { Writer } from './writer.ts'

export interface IoOptions {
  /** Print JSON for programs. */
  readonly json: boolean
  /** Use colours where the stream is a terminal. */
  readonly color: boolean
}

/** The width of lines where no terminal tells one. */
const WIDTH = 100

/** Prints what a command gives: data on stdout, everything else on stderr. */
export class Io {
  readonly json: boolean
  /** How many columns a line may have. */
  readonly columns: number
  readonly #out: Writer
  readonly #err: Writer
  readonly #outColor: boolean
  readonly #errColor: boolean

  constructor({ stdout, stderr, variables }: World, { json, color }: IoOptions) {
    this.json = json
    this.columns = Math.max(40, stdout.columns ?? (Number(variables.COLUMNS) || WIDTH))
    this.#out = new Writer(stdout)
    this.#err = new Writer(stderr)
    const wanted = color && !variables.NO_COLOR && variables.TERM !== 'dumb'
    const colored = (stream: Output): boolean => wanted && stream.isTTY === true
    this.#outColor = colored(stdout)
    this.#errColor = colored(stderr)
  }

  /** Prints a line for people. */
  print(...pieces: readonly Piece[]): Promise<void> | undefined {
    return this.#out.add(`${rendered(pieces, this.#outColor)}\n`)
  }

  /** Prints a value as one line of JSON; with `zero` a NUL ends it. */
  data(value: unknown, zero = false): Promise<void> | undefined {
    return this.#out.add(safeJson(jsonText(value as Json)) + endOf(zero))
  }

  /** Prints a line for scripts: as JSON where that is asked for; with `zero` a NUL ends it. */
  record(text: string, value: unknown, zero = false): Promise<void> | undefined {
    return this.json ? this.data(value, zero) : this.#out.add(safe(text) + endOf(zero))
  }

  /** Prints bytes as they are. */
  bytes(bytes: Uint8Array): Promise<void> {
    return this.#out.bytes(bytes)
  }

  /** Prints a line on stderr, for people. */
  note(...pieces: readonly Piece[]): Promise<void> | undefined {
    return this.#err.add(`${rendered(pieces, this.#errColor)}\n`)
  }

  /** Prints a value as one line of JSON on stderr. */
  noteData(value: Json): Promise<void> | undefined {
    return this.#err.add(`${safeJson(jsonText(value))}\n`)
  }

  /** Replaces the last line on stderr, which is a terminal; an empty text clears it. */
  status(text: string): Promise<void> {
    void this.#err.add(`\r\x1b[K${safe(text)}`)
    return this.#err.flush()
  }

  /** Writes out what was printed on stdout. */
  flushData(): Promise<void> {
    return this.#out.flush()
  }

  /** Writes out what was printed on stderr. */
  flushNotes(): Promise<void> {
    return this.#err.flush()
  }

  /** Writes out what was printed. */
  async flush(): Promise<void> {
    await this.flushData()
    await this.flushNotes()
  }
}

const endOf = (zero: boolean): string => (zero ? '\0' : '\n')

const rendered = (pieces: readonly Piece[], color: boolean): string =>
  pieces
    .map((piece) => {
      if (typeof piece === 'string') return safe(piece)
      return color ? painted(piece.look, safe(piece.text)) : safe(piece.text)
    })
    .join('')
