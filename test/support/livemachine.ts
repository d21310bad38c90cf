import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { Repo } from '../../src/repo/repo.ts'
import { built, script } from './built.ts'
import { newFolder } from './folder.ts'
import { answered, asked, claudeLines } from './transcripts.ts'

/** A hook as its agent saw it. */
export interface RanHook {
  readonly code: number | null
  readonly printed: string
}

/** The home of a user with a session of Claude Code, and what hooks and settlers do there. */
export class LiveMachine {
  readonly root = newFolder()
  readonly home = join(this.root, 'home')
  readonly live = join(this.root, 'live')
  readonly store = join(this.root, 'data/sess')
  readonly marks = join(this.root, 'marks')
  readonly session = '5a0b1c2d-0000-4000-8000-000000000001'
  readonly file = join(this.home, '.claude/projects/-work', `${this.session}.jsonl`)
  #turns = 0
  #begun = 0
  /** Whether settlers wait as long as they do for users. */
  patient = false

  constructor() {
    mkdirSync(dirname(this.file), { recursive: true })
    mkdirSync(this.live)
  }

  get variables(): Readonly<Record<string, string>> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      HOOK_MARKS: this.marks,
      XDG_DATA_HOME: join(this.root, 'data'),
      ...(!this.patient && { HOOK_PACE: 'fast' }),
    }
  }

  /** The lines of the next turn of the session. */
  nextTurn(): string[] {
    const n = this.#turns++
    return claudeLines(
      this.session,
      asked(`q${n}`, n === 0 ? null : `a${n - 1}`, `question ${n}`),
      answered(`a${n}`, `q${n}`),
    )
  }

  /** Writes a turn of the session. */
  write(lines = this.nextTurn()): void {
    appendFileSync(this.file, lines.join(''))
  }

  /** What Claude Code tells a hook. */
  told(more: JsonObject = {}): string {
    return JSON.stringify({
      session_id: this.session,
      transcript_path: this.file,
      cwd: this.root,
      hook_event_name: 'Stop',
      ...more,
    })
  }

  /** Runs a hook as an agent does, and waits for it. */
  hook(
    told = this.told(),
    words: readonly string[] = ['claude-code'],
    variables: Readonly<Record<string, string>> = {},
  ): RanHook {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script('hook.mjs'), built(), 'hook', '--folder', this.live, ...words],
      { input: told, cwd: this.root, env: { ...this.variables, ...variables }, encoding: 'utf8' },
    )
    return { code: status, printed: stdout + stderr }
  }

  get isSettling(): boolean {
    return existsSync(join(this.live, 'settler.lock'))
  }

  /** Waits until every settler has ended, and one has seen each note. */
  async settled(): Promise<void> {
    const count = (mark: string): number =>
      existsSync(this.marks) ? readFileSync(this.marks, 'utf8').split(mark).length - 1 : 0
    const isDone = (): boolean =>
      !this.isSettling &&
      count('begun') === count('ended') &&
      (this.waiting.length === 0 || count('begun') > this.#begun)
    for (const end = Date.now() + 40_000; !isDone(); await setTimeout(50))
      if (Date.now() > end) throw new Error('the settler does not end')
    this.#begun = count('begun')
  }

  /** The notes that are not settled. */
  get waiting(): string[] {
    const spool = join(this.live, 'spool')
    return existsSync(spool) ? readdirSync(spool) : []
  }

  /** Returns the bytes of the session that the store has; empty where it has none. */
  async stored(): Promise<string> {
    const repo = await Repo.open(this.store, { lockTimeout: 20_000 })
    try {
      const parts: Uint8Array[] = []
      for await (const chunk of exportSession(repo, this.session)) parts.push(Buffer.from(chunk))
      return Buffer.concat(parts).toString('utf8')
    } finally {
      await repo.close()
    }
  }

  /**
   * Waits until all notes are settled. On a busy machine a settler may end before it has imported: then another hook
   * starts the next one, as in an agent.
   */
  async imported(): Promise<void> {
    for (let tries = 0; this.waiting.length > 0 && tries < 10; tries++) {
      this.hook('{"transcript_path":"/nowhere.jsonl"}')
      await this.settled()
    }
    if (this.waiting.length > 0) throw new Error('notes are left')
  }

  /** Makes a file, with its folder. */
  put(name: string, text: string): string {
    const path = join(this.root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }
}

/** Expects that the store has the file of the session of a machine byte for byte. */
export async function expectStored(machine: LiveMachine): Promise<void> {
  await machine.imported()
  expect(await machine.stored()).toBe(readFileSync(machine.file, 'utf8'))
}
