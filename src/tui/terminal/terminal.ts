import type { ReadStream, WriteStream } from 'node:tty'
import { ESCAPE_DELAY_MS, KeyParser, type PressedKey } from './keys.ts'
import { Screen, type ScreenRow } from './screen.ts'

const ESC = '\x1b'
/** Alternate screen, no cursor, pastes in brackets, no automatic wrapping, and the screen erased. */
const ENTER = `${ESC}[?1049h${ESC}[?25l${ESC}[?2004h${ESC}[?7l${ESC}[2J`
const LEAVE = `${ESC}[0m${ESC}[?7h${ESC}[?2004l${ESC}[?25h${ESC}[?1049l`

/** The size of a terminal in cells. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** The process that a terminal belongs to. */
export type HostProcess = Pick<NodeJS.Process, 'on' | 'off' | 'once' | 'kill' | 'pid'>

export interface TerminalStreams {
  readonly input: ReadStream
  readonly output: WriteStream
  readonly process: HostProcess
  readonly colored: boolean
}

/** Functions that are called when something happens at a terminal. */
export interface TerminalEvents {
  key(key: PressedKey): void
  /** The size changed, or the screen was lost: a frame is to be drawn. */
  redraw(): void
  /** The terminal is gone, or a signal asks to end. */
  end(signal: 'SIGTERM' | 'SIGHUP' | 'SIGINT' | 'closed'): void
}

/** After so many milliseconds a process that asked to be stopped is, or will not be. */
const STOPPED_MS = 200

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

/** A terminal that shows frames and reads keys. It is as before after `leave`, however that came. */
export class Terminal {
  readonly #streams: TerminalStreams
  readonly #events: TerminalEvents
  readonly #screen: Screen
  readonly #keys = new KeyParser()
  #timer: NodeJS.Timeout | undefined
  #isEntered = false
  #isLeft = false
  #mustClear = false
  readonly #listeners: (() => void)[] = []

  constructor(streams: TerminalStreams, events: TerminalEvents) {
    this.#streams = streams
    this.#events = events
    this.#screen = new Screen((bytes) => void streams.output.write(bytes), streams)
  }

  get size(): Size {
    const { columns, rows } = this.#streams.output
    return { columns: columns || 80, rows: rows || 24 }
  }

  /** Takes the terminal over until `leave`. */
  enter(): void {
    const { input, output, process } = this.#streams
    input.setEncoding('utf8')
    this.#listen(input, 'data', (chunk: string) => this.#read(chunk))
    this.#listen(input, 'end', () => this.#events.end('closed'))
    this.#listen(input, 'error', () => this.#events.end('closed'))
    this.#listen(output, 'error', () => this.#events.end('closed'))
    this.#listen(output, 'resize', () => this.#redraw())
    for (const signal of SIGNALS)
      this.#listen(process, signal, () => {
        // Ctrl+C is for the program that has the terminal.
        if (signal !== 'SIGINT' || this.#isEntered) this.#events.end(signal)
      })
    // Also where the process ends by an error or an exit that nobody awaited.
    this.#listen(process, 'exit', () => this.#restore())
    this.#open()
  }

  /** Restores the terminal. */
  leave(): void {
    this.#isLeft = true
    this.#restore()
    this.#streams.input.pause()
    clearTimeout(this.#timer)
    for (const remove of this.#listeners.splice(0)) remove()
  }

  /** Shows a frame. */
  draw(frame: readonly ScreenRow[]): void {
    if (!this.#isEntered) return
    this.#screen.draw(frame, this.#mustClear)
    this.#mustClear = false
  }

  /** Lends the terminal to a program until the work that runs it ends. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#restore()
    this.#streams.input.pause()
    try {
      return await work()
    } finally {
      this.#resume()
    }
  }

  /** Stops the process as Ctrl+Z does elsewhere, and takes the terminal over again when it goes on. */
  suspend(): void {
    this.#restore()
    const { process } = this.#streams
    this.#listen(process, 'SIGCONT', () => this.#resume())
    process.kill(0, 'SIGTSTP')
    // A process without a shell above it is not stopped. Where it is, this runs once it goes on.
    setTimeout(() => this.#resume(), STOPPED_MS)
  }

  /** Puts a text into the clipboard, where the terminal allows that. */
  copy(text: string): void {
    this.#streams.output.write(`${ESC}]52;c;${Buffer.from(text).toString('base64')}\x07`)
  }

  /** Takes the terminal over again after it was lent, unless that has happened or it was left meanwhile. */
  #resume(): void {
    if (this.#isEntered || this.#isLeft) return
    this.#open()
    this.#redraw()
  }

  #open(): void {
    if (this.#isEntered) return
    const { input, output } = this.#streams
    this.#isEntered = true
    input.setRawMode(true)
    input.resume()
    output.write(ENTER)
    this.#screen.reset()
  }

  #restore(): void {
    if (!this.#isEntered) return
    this.#isEntered = false
    const { input, output } = this.#streams
    for (const step of [() => input.setRawMode(false), () => output.write(LEAVE)])
      try {
        step()
      } catch {
        // The terminal is gone: there is nothing to give back.
      }
  }

  #redraw(): void {
    this.#mustClear = true
    this.#events.redraw()
  }

  #read(chunk: string): void {
    clearTimeout(this.#timer)
    for (const key of this.#keys.read(chunk)) this.#events.key(key)
    if (this.#keys.isPending)
      this.#timer = setTimeout(() => {
        for (const key of this.#keys.flush()) this.#events.key(key)
      }, ESCAPE_DELAY_MS)
  }

  #listen(
    emitter: {
      on(event: string, listener: (data: string) => void): unknown
      off(event: string, listener: (data: string) => void): unknown
    },
    event: string,
    listener: (data: string) => void,
  ): void {
    emitter.on(event, listener)
    this.#listeners.push(() => emitter.off(event, listener))
  }
}
