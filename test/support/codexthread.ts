import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../src/model/json.ts'

/** A place in a rollout file, as a later file refers to it. */
export interface HistoryBase extends JsonObject {
  readonly thread_id: string
  readonly end_ordinal_exclusive: number
  readonly end_byte_offset: number
}

interface RolloutOptions {
  /** The number of the file, which its id and time follow from. */
  readonly file?: number
  readonly base?: HistoryBase | undefined
  readonly header?: JsonObject
}

/** Returns an id from a number. */
export const threadId = (number: number): string =>
  `019f0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

/** The lines of a rollout file of a paginated thread, all made up. */
export class CodexRollout {
  readonly thread: number
  readonly #file: number
  #lines: string[] = []
  #ordinal: number
  #bytes = 0
  #tokens = 0

  constructor(thread: number, { file = thread, base, header = {} }: RolloutOptions = {}) {
    this.thread = thread
    this.#file = file
    this.#ordinal = base?.end_ordinal_exclusive ?? 0
    this.add('session_meta', {
      id: threadId(thread),
      timestamp: this.#time(),
      cwd: '/work/lamp',
      originator: 'codex_cli_rs',
      cli_version: '0.156.0',
      source: 'cli',
      history_mode: 'paginated',
      ...(base && { history_base: base }),
      ...header,
    })
  }

  /** Adds a line. */
  add(type: string, payload: JsonObject): this {
    const line = { timestamp: this.#time(), ordinal: this.#ordinal++, type, payload }
    return this.raw(`${JSON.stringify(line)}\n`)
  }

  raw(line: string): this {
    this.#lines.push(line)
    this.#bytes += Buffer.byteLength(line)
    return this
  }

  /** Adds a turn: a prompt, a reply, and what both cost. */
  turn(prompt: string, reply: string, model = 'gpt-5.5'): this {
    this.#tokens += 100
    const usage = {
      input_tokens: this.#tokens,
      output_tokens: this.#tokens / 10,
      total_tokens: this.#tokens * 1.1,
    }
    return this.add('turn_context', { cwd: '/work/lamp', model, effort: 'medium' })
      .add('response_item', message('user', 'input_text', prompt))
      .add('response_item', message('assistant', 'output_text', reply))
      .add('event_msg', { type: 'token_count', info: { total_token_usage: usage } })
      .add('event_msg', { type: 'task_complete', turn_id: prompt })
  }

  /** The place after the lines so far. */
  get place(): HistoryBase {
    return {
      thread_id: threadId(this.#file),
      end_ordinal_exclusive: this.#ordinal,
      end_byte_offset: this.#bytes,
    }
  }

  get text(): string {
    return this.#lines.join('')
  }

  get name(): string {
    const page = this.#file === this.thread ? '' : `_${threadId(this.#file)}`
    return `rollout-2026-09-01T00-00-${String(this.#file % 60).padStart(2, '0')}-${threadId(this.thread)}${page}.jsonl`
  }

  /** Writes the file into a folder. Returns its path. */
  save(folder: string, { compressed = false } = {}): string {
    const path = join(folder, compressed ? `${this.name}.zst` : this.name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, compressed ? zstdFrame(Buffer.from(this.text)) : this.text)
    return path
  }

  #time(): string {
    return new Date(Date.UTC(2026, 8, 1, 0, this.#file, this.#lines.length)).toISOString()
  }
}

const message = (role: string, type: string, text: string): JsonObject => ({
  type: 'message',
  role,
  content: [{ type, text }],
})

/** Returns bytes as a frame of raw blocks. */
function zstdFrame(bytes: Uint8Array): Uint8Array {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(bytes.length)
  const parts: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), size]
  const most = 1 << 16
  for (let from = 0; from === 0 || from < bytes.length; from += most) {
    const block = bytes.subarray(from, from + most)
    const head = (block.length << 3) | (from + most >= bytes.length ? 1 : 0)
    parts.push(Buffer.from([head & 255, (head >> 8) & 255, head >> 16]), block)
  }
  return Buffer.concat(parts)
}
