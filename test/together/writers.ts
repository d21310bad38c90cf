import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { messages } from '../bench/conversation.mjs'
import { SESSION, transcript } from '../bench/transcripts.mjs'
import type { Waits } from './waits.ts'

/** How an agent writes its session, and calls its hook. */
interface WritingAgent {
  readonly name: string
  /** Returns the path of a new session, below the home of the user. */
  readonly path: (session: string) => string
  /** The event before which its last line is not there yet, as with Claude Code; others have written all of it. */
  readonly isLate: boolean
  /** Returns the words of its hook, and what it gets on standard input. */
  readonly hook: (told: Told) => { readonly words: readonly string[]; readonly input: string }
}

interface Told {
  readonly session: string
  readonly path: string
  readonly cwd: string
}

/** The three agents of the run. */
export const WRITERS: readonly WritingAgent[] = [
  {
    name: 'claude-code',
    path: (session) => `.claude/projects/-work/${session}.jsonl`,
    isLate: true,
    hook: ({ session, path, cwd }) => ({
      words: ['claude-code'],
      input: JSON.stringify({
        session_id: session,
        transcript_path: path,
        cwd,
        hook_event_name: 'Stop',
        last_assistant_message: 'done',
      }),
    }),
  },
  {
    name: 'codex',
    path: (session) => `.codex/sessions/2026/02/02/rollout-2026-02-02T03-33-20-${session}.jsonl`,
    isLate: false,
    hook: ({ session, cwd }) => ({
      words: [
        'codex',
        '--notify',
        JSON.stringify({ type: 'agent-turn-complete', 'thread-id': session, 'turn-id': '1', cwd }),
      ],
      input: '',
    }),
  },
  {
    name: 'pi',
    path: (session) => `.pi/agent/sessions/--work--/2026-02-02T03-33-20-000Z_${session}.jsonl`,
    isLate: false,
    hook: ({ path, cwd }) => ({ words: ['pi'], input: JSON.stringify({ transcript_path: path, cwd }) }),
  },
]

/** Where an agent writes, and how fast. */
interface Writing {
  readonly home: string
  readonly launcher: string
  readonly variables: Readonly<Record<string, string>>
  readonly waits: Waits
  /** The pauses between two lines and between two turns, in milliseconds. */
  readonly line: number
  readonly turn: number
}

/** The turns after which an agent begins another session, and the messages of a session, which are never all written. */
const [TURNS, MESSAGES] = [12, 4000]

/** The result of a tool that is as large as a source file: one of so many. */
const [LARGE, RARE] = [300_000, 40]

/** An agent that writes its sessions as the real one does, turn by turn, and calls its hook at the end of each. */
export class Writer {
  readonly agent: WritingAgent
  readonly files: string[] = []
  /** What hooks printed or how they failed: nothing, if all is well. */
  readonly heard: string[] = []
  readonly #how: Writing
  #seed: number

  constructor(agent: WritingAgent, how: Writing) {
    this.agent = agent
    this.#how = how
    // Making texts for the first time takes a second, in which nothing else would be measured here.
    for (const _ of messages(1)) break
    this.#seed = 1 + 1000 * WRITERS.indexOf(agent)
  }

  /** Writes until a signal aborts. The last turn is written whole, and its hook is called. */
  async write(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#session(signal)
  }

  async #session(signal: AbortSignal): Promise<void> {
    const session = randomUUID()
    const path = join(this.#how.home, this.agent.path(session))
    mkdirSync(dirname(path), { recursive: true })
    this.files.push(path)
    let turns = 0
    for (const turn of turnsOf(linesOf(this.agent.name, session, this.#seed++))) {
      await this.#turn({ session, path, cwd: join(this.#how.home, 'work') }, turn)
      if (++turns === TURNS || signal.aborted) return
      await pause(this.#how.turn)
    }
  }

  async #turn(told: Told, lines: readonly string[]): Promise<void> {
    const late = this.agent.isLate ? 1 : 0
    for (const line of lines.slice(0, lines.length - late)) {
      // A program that writes much does so in parts: whoever reads meanwhile sees half a line.
      const cut = line.length > LARGE ? line.length >> 1 : line.length
      appendFileSync(told.path, line.slice(0, cut))
      await pause(this.#how.line)
      if (cut < line.length) appendFileSync(told.path, line.slice(cut))
    }
    const called = this.#how.waits.measure(`a hook of ${this.agent.name}`, () => this.#hook(told))
    await pause(this.#how.line)
    for (const line of lines.slice(lines.length - late)) appendFileSync(told.path, line)
    await called
  }

  async #hook(told: Told): Promise<void> {
    const { words, input } = this.agent.hook(told)
    const child = spawn(this.#how.launcher, ['hook', ...words], { cwd: told.cwd, env: this.#how.variables })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => this.heard.push(chunk.toString()))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) this.heard.push(`exit code ${code}`)
  }
}

/** Returns the lines of a session, as records of its own ids. */
function* linesOf(format: string, session: string, seed: number): Generator<Line> {
  const [first = ''] = session.split('-')
  for (const record of transcript(format, withLarge(messages(MESSAGES, seed)))) {
    const text = JSON.stringify(record)
      .replaceAll(SESSION, session)
      .replaceAll('-0000-4000-8000-', `-${first.slice(0, 4)}-4000-8000-`)
    yield { text: `${text}\n`, isPrompt: isPrompt(record) }
  }
}

interface Line {
  readonly text: string
  readonly isPrompt: boolean
}

interface Shown {
  readonly message?: { readonly role?: string; readonly content?: unknown }
  readonly payload?: { readonly type?: string; readonly role?: string }
}

/** Returns whether a record has the words of a user, and no result of a tool. */
function isPrompt({ message, payload }: Shown): boolean {
  if (payload) return payload.type === 'message' && payload.role === 'user'
  if (message?.role !== 'user') return false
  const [part] = Array.isArray(message.content) ? (message.content as { type?: string }[]) : []
  return part?.type !== 'tool_result'
}

/** Returns lines by turns: each begins with a prompt. */
function* turnsOf(lines: Iterable<Line>): Generator<string[]> {
  let turn: string[] = []
  let hasPrompt = false
  for (const { text, isPrompt: begins } of lines) {
    if (begins && hasPrompt) {
      yield turn
      turn = []
    }
    hasPrompt ||= begins
    turn.push(text)
  }
  yield turn
}

interface Message {
  readonly role: string
  readonly content: readonly { readonly type: string; readonly text?: string }[]
}

/** Makes some results of tools large. */
function* withLarge(all: Iterable<object>): Generator<object> {
  let n = 0
  for (const message of all as Iterable<Message>) {
    const [block] = message.content
    if (message.role !== 'toolResult' || ++n % RARE !== 0 || !block) yield message
    else {
      const text = `${block.text}\n`
      yield { ...message, content: [{ ...block, text: text.repeat(Math.ceil(LARGE / text.length) + 1) }] }
    }
  }
}
