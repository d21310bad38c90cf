import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { asSessError } from '../../src/model/errors.ts'
import { branchRef, nativesRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch, deleteBranch } from '../../src/ops/branch.ts'
import { cherryPick } from '../../src/ops/cherrypick.ts'
import { compact } from '../../src/ops/compact.ts'
import { edit, editable } from '../../src/ops/edit.ts'
import { exportTo } from '../../src/ops/export/destinations.ts'
import { fork } from '../../src/ops/fork.ts'
import { Recovery } from '../../src/ops/fsck/recover.ts'
import { gc } from '../../src/ops/gc.ts'
import { relink } from '../../src/ops/graft.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { removeLabel, setLabel } from '../../src/ops/label.ts'
import { merge } from '../../src/ops/merge.ts'
import { restore } from '../../src/ops/operations.ts'
import { pop } from '../../src/ops/pop.ts'
import { rebase } from '../../src/ops/rebase.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import { expunge } from '../../src/ops/secrets/expunge.ts'
import { switchTo } from '../../src/ops/switch.ts'
import { redo, undo } from '../../src/ops/undo.ts'
import { backUp } from '../../src/repo/backup.ts'
import type { Env } from '../../src/repo/env.ts'
import { Repo } from '../../src/repo/repo.ts'
import { allSessions, getSession, nativeLogs, type SessionState } from '../../src/repo/session.ts'
import { readGeneration } from '../../src/storage/directory/generation.ts'
import { generationFolder, takeOver } from '../../src/storage/directory/takeover.ts'
import { newFolder } from './folder.ts'
import type { Random } from './random.ts'
import { copyOf } from './smallstore.ts'
import { BEGIN } from './store.ts'
import { answered, asked, claudeLine } from './transcripts.ts'

/** An environment whose clock and random bytes a seed repeats. */
export function seededEnv(random: Random): Env {
  let minutes = 0
  return {
    now: () => BEGIN + 60_000 * minutes++,
    random: (length) => Uint8Array.from({ length }, () => random.below(256)),
    who: () => 'someone@somewhere',
    cwd: '/work',
  }
}

/** A state of a store at some time of its history: a backup, or a copy of its folder. */
export interface FormerStore {
  readonly dir: string
  readonly step: number
}

/** A store with a history, closed. */
export interface LivedStore {
  readonly dir: string
  readonly steps: readonly string[]
  readonly formers: readonly FormerStore[]
  /** Secrets that were expunged. */
  readonly expunged: readonly string[]
  /** Whether a copy of the store was written, too. */
  readonly hasCopy: boolean
}

/** A transcript that an agent writes. */
interface Transcript {
  readonly path: string
  readonly id: string
  /** The uuid of its last record. */
  last: string | null
  minute: number
}

/** A store that lives: each step does something to it that users do. */
class Life {
  readonly random: Random
  readonly #chance: Random
  readonly env: Env
  dir = join(newFolder(), 'store')
  readonly steps: string[] = []
  readonly formers: FormerStore[] = []
  readonly expunged: string[] = []
  readonly #files: Transcript[] = []
  #repo: Repo | undefined
  #words = 0
  #copies = 0

  constructor(random: Random, chance: Random) {
    this.random = random
    this.#chance = chance
    this.env = seededEnv(chance)
  }

  get hasCopy(): boolean {
    return this.#copies > 0
  }

  async repo(): Promise<Repo> {
    return (this.#repo ??= await Repo.open(this.dir, { create: true, env: this.env, command: 'sess test' }))
  }

  async close(): Promise<void> {
    await this.#repo?.close()
    this.#repo = undefined
  }

  /** Does something random. What the store refuses is no failure. */
  async step(): Promise<void> {
    const name = this.random.pick(WEIGHTED)
    try {
      await STEPS[name]?.(this)
      this.steps.push(name)
    } catch (error) {
      const { code } = asSessError(error)
      this.steps.push(`${name} (${code})`)
      if (code === 'corrupt' || code === 'bug') throw new Error(this.steps.join(', '), { cause: error })
    }
    if (this.random.once(6)) await this.close()
  }

  /** Returns a text that recurs nowhere else: short, or long enough to be a blob. */
  says(): string {
    const text = `says ${this.#words++} ${this.#chance.below(2 ** 31)}`
    return this.random.once(4) ? `${text} `.repeat(90) : text
  }

  entries(count: number): { readonly body: { readonly role: string; readonly content: string } }[] {
    return Array.from({ length: count }, (_, i) => ({
      body: { role: i % 2 === 0 ? 'user' : 'assistant', content: this.says() },
    }))
  }

  async sessions(): Promise<SessionState[]> {
    const all: SessionState[] = []
    await (await this.repo()).read(async (reader) => {
      for await (const session of allSessions(reader)) all.push(session)
    })
    return all
  }

  async session(): Promise<SessionState> {
    const all = await this.sessions()
    if (all.length > 0) return this.random.pick(all)
    const id = await createSession(await this.repo(), { title: 'the first' })
    return (await this.sessions()).find((one) => one.id === id) as SessionState
  }

  /** Returns a revision: a branch of a session, or an entry before its end. */
  async revision(session?: SessionState): Promise<string> {
    const { id, branches } = session ?? (await this.session())
    const name = branches.size === 0 ? 'main' : this.random.pick([...branches.keys()])
    return `${id}/${name}${this.random.once(2) ? `~${this.random.below(4)}` : ''}`
  }

  /** Writes more lines of a transcript: a new one, or one that is there. */
  write(file: Transcript, text = this.says(), parent = file.last): string[] {
    const uuids: string[] = []
    for (let n = 1 + this.random.below(3); n > 0; n--) {
      const [q, a] = [`u${this.#words++}`, `v${this.#words++}`]
      const lines = [asked(q, uuids.length === 0 ? parent : file.last, text), answered(a, q, this.says())]
      appendFileSync(file.path, lines.map((line) => claudeLine(file.id, file.minute++, line)).join(''))
      file.last = a
      uuids.push(q, a)
    }
    return uuids
  }

  transcript(folder = newFolder()): Transcript {
    const id = `file-${this.#files.length}-${this.#chance.below(1000)}`
    const file = { path: join(folder, `${id}.jsonl`), id, last: null, minute: 0 }
    mkdirSync(folder, { recursive: true })
    this.#files.push(file)
    return file
  }

  file(): Transcript {
    const there = this.#files.filter(({ path }) => existsSync(path))
    return there.length === 0 ? this.transcript() : this.random.pick(there)
  }

  async take(...paths: readonly string[]): Promise<void> {
    await importPaths(await this.repo(), paths)
  }

  /** Copies the folder to another place, as a backup of the user. */
  async copy(): Promise<string> {
    await this.close()
    this.#copies++
    return copyOf(this.dir)
  }
}

const secretOf = (life: Life): string =>
  [
    'ghp',
    Array.from(
      { length: 36 },
      () => 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'[life.random.below(49)],
    ).join(''),
  ].join('_')

const STEPS: Readonly<Record<string, (life: Life) => Promise<void>>> = {
  create: async (life) => {
    const repo = await life.repo()
    const id = await createSession(repo, { title: `title ${life.says()}` })
    await append(repo, id, life.entries(1 + life.random.below(6)))
  },
  append: async (life) => {
    const { id } = await life.session()
    await append(await life.repo(), id, life.entries(life.random.once(4) ? 20 : 1 + life.random.below(3)))
  },
  import: async (life) => {
    const file = life.transcript()
    life.write(file)
    if (life.random.once(3)) appendFileSync(file.path, '{"type":"user","uuid":"torn')
    await life.take(file.path)
  },
  importCompressed: async (life) => {
    const file = life.transcript()
    life.write(file)
    writeFileSync(`${file.path}.gz`, gzipSync(readFileSync(file.path)))
    rmSync(file.path)
    await life.take(`${file.path}.gz`)
  },
  importSubagent: async (life) => {
    const file = life.transcript()
    life.write(file)
    const agent = life.transcript(join(dirname(file.path), file.id, 'subagents'))
    life.write(agent)
    writeFileSync(join(dirname(agent.path), `${agent.id}.meta.json`), '{"agentType":"Explore"}')
    await life.take(dirname(file.path))
  },
  importOrphan: async (life) => {
    const [file, parent] = [life.transcript(), life.transcript()]
    const [missing = ''] = life.write(parent)
    life.write(file, life.says(), missing)
    await life.take(file.path)
    await life.take(parent.path)
    await relink(await life.repo())
  },
  grow: async (life) => {
    const file = life.file()
    life.write(file)
    if (life.random.once(4)) return
    await life.take(file.path)
  },
  rewrite: async (life) => {
    const file = life.file()
    if (!existsSync(file.path)) return
    const lines = readFileSync(file.path, 'utf8').split(/(?<=\n)/)
    lines.splice(life.random.below(lines.length), 1)
    writeFileSync(file.path, lines.join(''))
    if (life.random.once(2)) await life.take(file.path)
  },
  vanish: (life) => {
    rmSync(life.file().path, { force: true })
    return Promise.resolve()
  },
  fork: async (life) => {
    const { session } = await fork(await life.repo(), await life.revision(), { title: life.says() })
    if (life.random.once(2)) await append(await life.repo(), session, life.entries(2))
  },
  forkOfRemoved: async (life) => {
    const { id } = await life.session()
    await fork(await life.repo(), id)
    await removeSessions(await life.repo(), [id])
  },
  remove: async (life) => {
    const sessions = await life.sessions()
    if (sessions.length < 4) return
    await removeSessions(await life.repo(), [life.random.pick(sessions).id])
  },
  undo: async (life) => void (await undo(await life.repo(), { any: true })),
  redo: async (life) => void (await redo(await life.repo())),
  restore: async (life) => {
    const repo = await life.repo()
    const { latest } = await repo.read((reader) => reader.operationLog())
    await restore(repo, `${Math.max(1, latest - 1 - life.random.below(3))}`)
  },
  branch: async (life) => {
    const session = await life.session()
    await createBranch(
      await life.repo(),
      session.id,
      `b${life.random.below(5)}`,
      await life.revision(session),
    )
  },
  deleteBranch: async (life) => {
    const { id, branches } = await life.session()
    await deleteBranch(await life.repo(), id, life.random.pick([...branches.keys(), 'main']))
  },
  switch: async (life) => {
    const session = await life.session()
    await switchTo(await life.repo(), await life.revision(session), session.id)
  },
  label: async (life) => {
    await setLabel(await life.repo(), `l${life.random.below(4)}`, await life.revision())
  },
  unlabel: async (life) => {
    const { id, labels } = await life.session()
    await removeLabel(await life.repo(), [...labels.keys()][0] ?? 'none', id)
  },
  merge: async (life) => {
    const session = await life.session()
    await merge(await life.repo(), await life.revision(), { session: session.id, summary: 'merged' })
  },
  rebase: async (life) => {
    const session = await life.session()
    await rebase(await life.repo(), await life.revision(), { session: session.id })
  },
  pick: async (life) => {
    const session = await life.session()
    await cherryPick(await life.repo(), [await life.revision()], { session: session.id })
  },
  compact: async (life) => {
    const { id } = await life.session()
    await compact(await life.repo(), id, { keepTokens: life.random.below(30), summary: 'shorter' })
  },
  pop: async (life) => {
    const session = await life.session()
    await pop(await life.repo(), await life.revision(session), { session: session.id, summary: 'left' })
  },
  edit: async (life) => {
    const { id } = await life.session()
    const repo = await life.repo()
    const { entries } = await editable(repo, `${id}~1..${id}`, id)
    await edit(
      repo,
      `${id}~1..${id}`,
      entries.map(({ oid }) => ({ action: 'drop', oid }) as never),
      { session: id },
    )
  },
  gc: async (life) => void (await gc(await life.repo(), { operations: 0, grace: 0 })),
  gcUnreachable: async (life) => void (await gc(await life.repo(), { operations: 0, grace: Infinity })),
  gcOperations: async (life) => void (await gc(await life.repo(), { operations: Infinity, grace: Infinity })),
  expunge: async (life) => {
    const secret = secretOf(life)
    const repo = await life.repo()
    const file = life.transcript()
    life.write(file, `use ${secret} now`)
    await life.take(file.path)
    const { id } = await life.session()
    await append(repo, id, [{ body: { role: 'user', content: `also ${secret}` } }, ...life.entries(1)])
    if (life.random.once(3)) life.formers.push({ dir: await life.copy(), step: life.steps.length })
    await expunge(await life.repo(), { secrets: [secret], force: true })
    life.expunged.push(secret)
  },
  expungeEntry: async (life) => {
    const repo = await life.repo()
    const { id } = await life.session()
    const secret = `private ${life.says()} and more of it`
    const [oid] = await append(repo, id, [{ body: { role: 'user', content: secret } }, ...life.entries(1)])
    if (life.random.once(3)) life.formers.push({ dir: await life.copy(), step: life.steps.length })
    await expunge(await life.repo(), { entries: [oid as Oid], force: true })
    life.expunged.push(secret)
  },
  export: async (life) => {
    const { id } = await life.session()
    const folder = newFolder()
    await exportTo(await life.repo(), id, `${folder}/`, {
      format: life.random.pick(['pi', 'codex', 'claude-code']),
    })
  },
  backUp: async (life) => {
    const target = join(newFolder(), 'backup')
    await life.repo()
    backUp(life.dir, target, life.env)
    life.formers.push({ dir: target, step: life.steps.length })
  },
  copy: async (life) => {
    life.formers.push({ dir: await life.copy(), step: life.steps.length })
  },
  moveToCopy: async (life) => {
    life.dir = await life.copy()
  },
  secondWriter: async (life) => {
    const { id, natives, branches } = await life.session()
    const copy = await life.copy()
    const there = await Repo.open(copy, { env: life.env })
    await append(there, id, life.entries(2))
    const here = await life.repo()
    await there.read((other) =>
      here.write({}, async ({ reader, writer, move }) => {
        const theirs = await getSession(other, id)
        const name = other.writer
        const head = theirs.natives.get(name)
        if (!head) return
        const recovery = new Recovery(reader, other, writer)
        for (const [log, count] of nativeLogs(head)) await recovery.prefix(log, count)
        if (!natives.has(name)) move(nativesRef(id, name), undefined, head)
        const tip = theirs.branches.get('main')
        if (tip !== undefined && !branches.has('theirs')) move(branchRef(id, 'theirs'), undefined, tip)
      }),
    )
    await there.close()
  },
  takeOver: async (life) => {
    const { id } = await life.session()
    await life.close()
    const generation = readGeneration(life.dir)
    takeOver(life.dir, generation)
    generationFolder(life.dir, generation + 1)
    await append(await life.repo(), id, life.entries(2))
  },
}

/** What users do often. */
const OFTEN = [
  'create',
  'append',
  'append',
  'append',
  'import',
  'import',
  'grow',
  'fork',
  'expunge',
  'backUp',
  'gcOperations',
  'remove',
]
const WEIGHTED = [...Object.keys(STEPS), ...OFTEN]

/** Makes a store with a random history. */
export async function storeHistory(random: Random, steps: number): Promise<LivedStore> {
  const life = new Life(random, random)
  for (const name of ['create', 'import', 'append'] as const) await STEPS[name]?.(life)
  for (let n = 0; n < steps; n++) await life.step()
  await life.close()
  const { dir, formers, expunged, hasCopy } = life
  return { dir, steps: life.steps, formers, expunged, hasCopy }
}
