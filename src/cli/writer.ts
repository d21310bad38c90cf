import { writeError } from '../model/writeerror.ts'
import type { OutputStream } from './platform.ts'

/** Thrown where the reader of a pipe has gone away: the command ends quietly. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe'
}

/** Lines are buffered up to this many characters before they are written. */
const ENOUGH = 1 << 16

/** Writes to a stream in order, in large pieces, no faster than the stream takes them. */
export class StreamWriter {
  readonly #stream: OutputStream
  #gathered = ''
  #written: Promise<void> = Promise.resolve()

  constructor(stream: OutputStream) {
    this.#stream = stream
  }

  /** Adds some text. Await the result where more may follow. */
  add(text: string): Promise<void> | undefined {
    this.#gathered += text
    return this.#gathered.length < ENOUGH ? undefined : this.flush()
  }

  /** Writes what was gathered. Throws `ClosedPipe`, also for an earlier write. */
  flush(): Promise<void> {
    const text = this.#gathered
    this.#gathered = ''
    return text === '' ? this.#written : this.#then(text)
  }

  /** Writes bytes after all text. */
  bytes(bytes: Uint8Array): Promise<void> {
    void this.flush()
    return this.#then(bytes)
  }

  #then(chunk: string | Uint8Array): Promise<void> {
    this.#written = this.#written.then(() => send(this.#stream, chunk))
    // The next write or the last flush reports it: until then it must not be an unhandled rejection.
    this.#written.catch(() => undefined)
    return this.#written
  }
}

/** Writes to a stream, and resolves when that is done. Throws `ClosedPipe`. */
export const send = (stream: OutputStream, chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(chunk, (error) => {
      if (!error) resolve()
      else
        reject('code' in error && GONE.has(error.code) ? new ClosedPipe() : writeError('the output', error))
    })
  })

const GONE: ReadonlySet<unknown> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'])
