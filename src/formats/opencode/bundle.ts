import { joined } from '../../model/bytes.ts'
import { SessError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import { parseJson } from '../../model/value.ts'

/** A file in a bundle: its path, and the range of its bytes. */
export interface BundledFile {
  readonly file: string
  /** The start of its header line. */
  readonly at: number
  readonly from: number
  readonly to: number
}

const utf8 = new TextDecoder()
const NEWLINE = 10
/** The longest header line. */
const LONGEST = 64 << 10

/** Returns whether a stream is a bundle: it begins with a header line of JSON. */
export const isBundle = (head: Uint8Array): boolean => headerAt(head, 0) !== undefined

/** Returns the complete files in bytes from a position on, and the start of the first incomplete one. */
export function bundledIn(
  bytes: Uint8Array,
  start = 0,
): { readonly files: BundledFile[]; readonly end: number } {
  const files: BundledFile[] = []
  let at = start
  for (;;) {
    const header = headerAt(bytes, at)
    if (!header || header.to > bytes.length) return { files, end: at }
    files.push(header)
    at = header.to
  }
}

function headerAt(bytes: Uint8Array, at: number): BundledFile | undefined {
  const newline = bytes.subarray(at, at + LONGEST).indexOf(NEWLINE)
  if (newline < 0) return undefined
  const value = parseJson(utf8.decode(bytes.subarray(at, at + newline)))?.value
  if (!isObject(value) || typeof value.file !== 'string' || typeof value.bytes !== 'number') return undefined
  const from = at + newline + 1
  return { file: value.file, at, from, to: from + value.bytes }
}

/** A file of a bundle that is read as a stream. Its chunks are to be read before the next file is requested. */
export interface StreamedFile {
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Yields the files of a bundle while it is read. Throws `corrupt` if it ends within one. */
export async function* filesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedFile> {
  const stream = new BundleStream(chunks)
  try {
    for (let name = await stream.next(); name !== undefined; name = await stream.next()) {
      yield { name, chunks: stream.rest() }
      // Skip the chunks that were not requested.
      for await (const _ of stream.rest());
    }
  } finally {
    await stream.close()
  }
}

/** Reads a bundle from a stream of chunks: it is within a file, or before the next one. */
class BundleStream {
  readonly #source: AsyncIterator<Uint8Array>
  #buffer: Uint8Array = new Uint8Array(0)
  /** How many bytes of the file are yet to come. */
  #left = 0

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#source = chunks[Symbol.asyncIterator]()
  }

  /** Returns the name of the next file; undefined after the last. */
  async next(): Promise<string | undefined> {
    while (this.#buffer.indexOf(NEWLINE) < 0 && (await this.#more()));
    if (this.#buffer.length === 0) return undefined
    const header = headerAt(this.#buffer, 0)
    if (!header) throw torn()
    this.#buffer = this.#buffer.subarray(header.from)
    this.#left = header.to - header.from
    return header.file
  }

  /** Yields the rest of the file. */
  async *rest(): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      if (this.#buffer.length === 0 && !(await this.#more())) throw torn()
      const chunk = this.#buffer.subarray(0, this.#left)
      this.#buffer = this.#buffer.subarray(chunk.length)
      this.#left -= chunk.length
      yield chunk
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next()
    if (next.done) return false
    this.#buffer = joined([this.#buffer, next.value])
    return true
  }
}

const torn = (): SessError => new SessError('corrupt', 'the files of a session end within one')
