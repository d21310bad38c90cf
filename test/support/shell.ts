import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Interfaces } from '../../src/cli/interfaces.ts'
import { main } from '../../src/cli/main.ts'
import type { OutputStream, Platform } from '../../src/cli/platform.ts'

/** The sample sessions that the project ships. */
const SAMPLES = fileURLToPath(new URL('../demo/sessions', import.meta.url))

export interface Setting {
  /** The standard input, in pieces. */
  readonly stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
  readonly variables?: Readonly<Record<string, string>>
  /** Whether stdout and stderr are terminals. */
  readonly terminal?: boolean
  readonly columns?: number
  readonly rows?: number
  /** Stands in for the programs that can be started, such as a pager. */
  readonly start?: Platform['start']
  /** Stands in for the user's editor. */
  readonly edit?: Platform['edit']
  /** The folder to stand in, below the shell's own. */
  readonly cwd?: string
  /** The command is stopped, as with Ctrl-C, after so many milliseconds. */
  readonly stopAfter?: number
  /** The command is stopped likewise once what it wrote matches. */
  readonly stopAt?: RegExp
  /** Whether the clock runs ahead, so that whatever takes a while says how far it is, again and again. */
  readonly hasty?: boolean
  /** Stands in for the stream that stdout is. */
  readonly stdout?: OutputStream
  /** Stand in for the interfaces that commands start. */
  readonly interfaces?: Interfaces
}

type Heard = Parameters<Platform['onSignal']>[0]

/** A stream that nothing can be written to. */
export const failing = (code: string): OutputStream => ({
  write: (_, done) => {
    done(Object.assign(new Error(`write ${code}`), { code }))
    return true
  },
})

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Both, in the order of writing: what a terminal shows. */
  readonly output: string
  /**
   * The command, then both, in the order of writing, each line of stderr behind `! `, and last the exit code
   * where it is not 0.
   */
  readonly transcript: string
}

/**
 * * A folder of its own with the sample sessions in it, a clock that stands still but for a minute from
 * command to command, and chance that is none: what is typed here answers the same each time.
 */
export class Shell {
  readonly dir: string
  #minutes = 0
  #chance = 0

  readonly #stopAt: RegExp | undefined

  /** With `stopAt` each command is stopped, as with Ctrl-C, once what it wrote matches. */
  constructor({ samples = true, stopAt }: { samples?: boolean; stopAt?: RegExp } = {}) {
    this.#stopAt = stopAt
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sess-cli-')))
    // Lists of sessions print the last part of their folders.
    this.dir = join(folder, 'ada')
    mkdirSync(this.dir)
    onTestFinished(() => rmSync(folder, { recursive: true }))
    if (samples) cpSync(SAMPLES, join(this.dir, 'sessions'), { recursive: true })
  }

  path(...names: string[]): string {
    return join(this.dir, ...names)
  }

  /** Copies the folder. Returns a function that puts back the folder, the clock and the chance of now. */
  snapshot(): () => void {
    const copy = join(this.dir, '../snapshot')
    const options = { recursive: true, preserveTimestamps: true } as const
    cpSync(this.dir, copy, options)
    const [minutes, chance] = [this.#minutes, this.#chance]
    return () => {
      rmSync(this.dir, { recursive: true })
      cpSync(copy, this.dir, options)
      this.#minutes = minutes
      this.#chance = chance
    }
  }

  read(...names: string[]): string {
    return readFileSync(this.path(...names), 'utf8')
  }

  /** Runs a command as typed, words separated by spaces or quoted with `'` or `"`. */
  run(line: string, setting: Setting = {}): Promise<Outcome> {
    return this.main(wordsOf(line).slice(1), setting, line)
  }

  /** Runs a command and gives its transcript. */
  async type(line: string, setting: Setting = {}): Promise<string> {
    return (await this.run(line, setting)).transcript
  }

  async main(argv: readonly string[], setting: Setting = {}, line = argv.join(' ')): Promise<Outcome> {
    const written: { error: boolean; text: string }[] = []
    const decoder = new TextDecoder()
    const { stopAt = this.#stopAt } = setting
    let heard: Heard = () => undefined
    const stream = (error: boolean): OutputStream => ({
      isTTY: setting.terminal ?? false,
      ...(setting.columns === undefined ? {} : { columns: setting.columns }),
      ...(setting.rows === undefined ? {} : { rows: setting.rows }),
      write: (chunk, done) => {
        written.push({ error, text: typeof chunk === 'string' ? chunk : decoder.decode(chunk) })
        if (stopAt?.test(written.map(({ text }) => text).join(''))) heard('SIGINT')
        done()
        return true
      },
    })
    const world = this.platform(setting, setting.stdout ?? stream(false), stream(true))
    const onSignal: Platform['onSignal'] = (listener) => {
      heard = listener
      return () => undefined
    }
    const code = await main(argv, stopAt ? { ...world, onSignal } : world, undefined, setting.interfaces)
    const textOf = (error: boolean): string =>
      written
        .filter((piece) => piece.error === error)
        .map((piece) => piece.text)
        .join('')
        .replaceAll(this.dir, '/home/ada')
        .replaceAll(encodeURIComponent(this.dir), '%2Fhome%2Fada')
    const output = written.map(({ text }) => text).join('')
    const shown = written.map(({ error, text }) => (error ? text.replace(/^(?=.)/gm, '! ') : text)).join('')
    return {
      code,
      stdout: textOf(false),
      stderr: textOf(true),
      output: output.replaceAll(this.dir, '/home/ada'),
      transcript: `$ ${line}\n${shown.replaceAll(this.dir, '/home/ada').replaceAll(encodeURIComponent(this.dir), '%2Fhome%2Fada')}${code === 0 ? '' : `exit ${code}\n`}`,
    }
  }

  platform(
    {
      stdin = [],
      terminal = false,
      variables = {},
      cwd = '',
      start,
      edit,
      stopAfter,
      hasty = false,
    }: Setting,
    stdout: OutputStream,
    stderr: OutputStream,
  ): Platform {
    let now = Date.parse('2026-05-01T12:00:00Z') + 60_000 * this.#minutes++
    return {
      stdin: Object.assign(bytesOf(stdin), { isTTY: terminal }),
      stdout,
      stderr,
      variables: { HOME: this.dir, ...variables },
      env: {
        now: () => (hasty ? (now += 1000) : now),
        random: (count) => Uint8Array.from({ length: count }, () => this.#chance++ % 251),
        who: () => 'ada@engine',
        cwd: this.path(cwd),
      },
      zone: () => 0,
      every: (_, tick) => {
        const timer = hasty ? setInterval(tick, 0) : undefined
        return () => clearInterval(timer)
      },
      start: start ?? (() => undefined),
      edit: edit ?? (() => Promise.resolve(undefined)),
      onSignal: (heard) => {
        const timer = stopAfter && setTimeout(() => heard('SIGINT'), stopAfter)
        return () => clearTimeout(timer)
      },
      exit: () => undefined,
      uid: () => process.geteuid?.(),
      become: () => undefined,
      quit: () => undefined,
    }
  }
}

async function* bytesOf(pieces: NonNullable<Setting['stdin']>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}

/** Splits a line into words as a shell does, without variables and escapes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  )
