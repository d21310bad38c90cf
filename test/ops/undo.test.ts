import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { metaRef, parseSessionRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { type Branch, createBranch, deleteBranch, listBranches, renameBranch } from '../../src/ops/branch.ts'
import { cherryPick } from '../../src/ops/cherrypick.ts'
import { compact } from '../../src/ops/compact.ts'
import { edit, editable } from '../../src/ops/edit.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fork } from '../../src/ops/fork.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { gc } from '../../src/ops/gc.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { removeLabel, setLabel } from '../../src/ops/label.ts'
import { merge } from '../../src/ops/merge.ts'
import { navigate } from '../../src/ops/navigate.ts'
import { restore } from '../../src/ops/operations.ts'
import { pop } from '../../src/ops/pop.ts'
import { rebase } from '../../src/ops/rebase.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import { renameSession } from '../../src/ops/rename.ts'
import { setPairs } from '../../src/ops/setkeys.ts'
import { switchTo, switchToRoot } from '../../src/ops/switch.ts'
import { redo, undo } from '../../src/ops/undo.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { allSessions, type SessionState } from '../../src/repo/session.ts'
import { runs } from '../support/amount.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { nativeOf, nativeRefIn } from '../support/nativelogs.ts'
import { copyOf } from '../support/smallstore.ts'
import { openRepo, refsOf } from '../support/store.ts'
import { answered, asked, claudeLine } from '../support/transcripts.ts'

type Refs = Readonly<Record<string, Json>>

const last = (repo: Repo): Promise<number> =>
  repo.read(async (reader) => (await reader.operationLog()).latest)

const sessionsOf = (repo: Repo): Promise<SessionState[]> =>
  repo.read(async (reader) => {
    const all: SessionState[] = []
    for await (const session of allSessions(reader)) all.push(session)
    return all
  })

const sound = async (repo: Repo): Promise<void> => expect((await fsck(repo)).findings).toEqual([])

const says = (content: string) => ({ body: { role: 'user', content } })

/** Two files of an agent. They grow by whole and by half lines, and may be written anew. */
class Files {
  readonly #folder = newFolder()
  readonly #files = [0, 1].map(() => ({ version: 0, lines: 0, held: '' }))

  constructor() {
    for (const which of [0, 1]) this.rewrite(which)
  }

  path(which: number): string {
    return join(this.#folder, `file-${which}.jsonl`)
  }

  rewrite(which: number): void {
    const { version } = this.#files[which]!
    this.#files[which] = { version: version + 1, lines: 0, held: '' }
    writeFileSync(this.path(which), '')
    this.grow(which, 2, false)
  }

  /** Lets a file grow by some lines; of the last one the end may follow only the next time. */
  grow(which: number, count: number, torn: boolean): void {
    const { version, lines, held } = this.#files[which]!
    const added = Array.from({ length: count }, (_, i) => {
      const n = lines + i
      const parent = n === 0 ? null : `u${n - 1}`
      const text = `version ${version}, line ${n}`
      const record = n % 2 === 0 ? asked(`u${n}`, parent, text) : answered(`u${n}`, `${parent}`, text)
      return claudeLine(`agent-${which}`, n, record)
    })
    const text = held + added.join('')
    const end = torn ? text.length - 20 : text.length
    this.#files[which] = { version, lines: lines + count, held: text.slice(Math.max(0, end)) }
    appendFileSync(this.path(which), text.slice(0, Math.max(0, end)))
    // So long ago that its note may say that it is as it was.
    utimesSync(this.path(which), version, version)
  }
}

interface Step {
  readonly verb: string
  readonly a: number
  readonly b: number
}

const WRITES = [
  'import',
  'grow',
  'rewrite',
  'create',
  'append',
  'agent',
  'bulk',
  'branch',
  'delete',
  'rename',
  'switch',
  'root',
  'navigate',
  'pop',
  'compact',
  'fork',
  'fork before',
  'pick',
  'rebase',
  'merge',
  'merge',
  'edit',
  'label',
  'unlabel',
  'title',
  'set',
  'rm',
]
const TURNS = ['undo', 'redo', 'restore', 'one', 'gc']

const steps = (verbs: readonly string[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ verb: fc.constantFrom(...verbs), a: fc.nat(7), b: fc.nat(7) }), {
    minLength: 4,
    maxLength: 16,
  })

/** Does what a step says as far as the store allows it. */
async function take(repo: Repo, files: Files, { verb, a, b }: Step): Promise<void> {
  const sessions = await sessionsOf(repo)
  const session = sessions[a % Math.max(1, sessions.length)]
  const name = `${session?.id}`
  const branches = session ? await listBranches(repo, name) : []
  const branch = branches[b % Math.max(1, branches.length)]
  switch (verb) {
    case 'rewrite':
      files.rewrite(a % 2)
      await importPaths(repo, [files.path(a % 2)])
      return
    case 'grow':
      files.grow(a % 2, b, b % 3 === 1)
      await importPaths(repo, [files.path(a % 2)])
      return
    case 'import':
      await importPaths(repo, [files.path(a % 2)])
      return
    case 'create':
      await createSession(repo)
      return
    case 'append':
      if (session) await append(repo, name, [says(`say ${b}`)])
      return
    case 'agent':
      if (branch)
        await append(repo, name, [{ type: 'agent_action', body: { action: 'complete', agentId: `a${a}` } }], {
          branch: branch.name,
        })
      return
    case 'bulk':
      if (session)
        await append(
          repo,
          name,
          Array.from({ length: 20 }, (_, i) => says(`bulk ${b} ${i}`)),
        )
      return
    case 'branch':
      if (branch) await createBranch(repo, name, `b${b}`, branch.oid)
      return
    case 'delete':
      if (branch) await deleteBranch(repo, name, branch.name)
      return
    case 'rename':
      if (branch) await renameBranch(repo, name, branch.name, `r${a}`)
      return
    case 'switch':
      if (branch) await switchTo(repo, b > 5 ? branch.oid : branch.name, name)
      return
    case 'root':
      if (session) await switchToRoot(repo, name, b > 5 ? `new ${b}` : undefined)
      return
    case 'navigate':
      if (branch) await navigate(repo, `${branch.oid}~${b}`, { session: name, wantsSummary: b % 3 === 1 })
      return
    case 'pop':
      if (session) await pop(repo, undefined, { session: name, root: b === 7, summary: `popped ${b}` })
      return
    case 'compact':
      if (branch)
        await compact(repo, branch.name, {
          session: name,
          keepTokens: b,
          summary: `compacted ${b}`,
          ...(a > 3 && { branch: `c${a}` }),
        })
      return
    case 'fork before':
      if (branch) await fork(repo, `${branch.oid}~${b}`, { before: true })
      return
    case 'label':
      if (branch) await setLabel(repo, `l${a}`, branch.oid, { session: name, force: b > 3 })
      return
    case 'unlabel':
      if (session) await removeLabel(repo, `l${a}`, name)
      return
    case 'title':
      if (session) await renameSession(repo, name, `title ${b}`)
      return
    case 'set':
      if (session) await setPairs(repo, name, { status: `${b}` })
      return
    case 'rm':
      if (session) await removeSessions(repo, [name])
      return
    case 'fork':
      if (branch) await fork(repo, branch.oid)
      return
    case 'pick':
    case 'rebase':
    case 'merge':
    case 'edit':
      if (branch) await bring(repo, name, { verb, a, b }, branch)
      return
    case 'gc':
      await gc(repo, { grace: Number.POSITIVE_INFINITY, operations: 0 })
      return
    case 'undo':
      await undo(repo, { any: b % 2 === 0 })
      return
    case 'redo':
      await redo(repo)
      return
    case 'restore':
      await restore(repo, `${Math.max(0, (await last(repo)) - b)}`)
      return
    default:
      await undo(repo, { operation: `${Math.max(1, (await last(repo)) - b)}` })
  }
}

/** Brings what a branch of any session says to a branch of this one. */
async function bring(repo: Repo, session: string, { verb, a, b }: Step, branch: Branch): Promise<void> {
  const others = (await sessionsOf(repo)).flatMap(({ id, branches }) =>
    [...branches.keys()].map((other) => `${id}/${other}`),
  )
  const other = others[(a + b) % others.length] as string
  if (verb === 'pick') await cherryPick(repo, [other, `${branch.name}~0`], { session })
  else if (verb === 'rebase') await rebase(repo, other, { session, branch: branch.name })
  else if (verb === 'merge')
    await merge(repo, other, { session, into: branch.name, forward: a > 3 ? 'auto' : 'never' })
  else {
    const { entries } = await editable(repo, branch.name, session)
    const plan = entries.map(({ oid }, at) => ({
      verb: at % 3 === b ? ('drop' as const) : ('pick' as const),
      oid,
    }))
    await edit(repo, branch.name, plan, { session, move: a > 3 })
  }
}

/** The reasons why a step may be refused: a used name, the current branch, an undo whose refs moved. */
const REFUSED = new Set([
  'exists',
  'bad-plan',
  'current-branch',
  'empty-session',
  'before-first',
  'no-entry',
  'no-prompt',
  'no-label',
  'nothing-to-compact',
  'nothing-to-pop',
  'conflict',
  'no-operation',
  'nothing-to-undo',
  'nothing-to-redo',
])

/** Each session that has a ref has its description. */
function expectDescribed(refs: Refs): void {
  const sessions = new Set(Object.keys(refs).map((name) => parseSessionRef(name)?.session ?? ''))
  expect([...sessions].filter((session) => !Object.hasOwn(refs, metaRef(session)))).toEqual([])
}

/** Takes steps, and gives what refs were right after each operation. */
async function walk(repo: Repo, files: Files, taken: readonly Step[]): Promise<Map<number, Refs>> {
  const states = new Map<number, Refs>([[await last(repo), await refsOf(repo)]])
  for (const step of taken) {
    const before = await refsOf(repo)
    try {
      await take(repo, files, step)
    } catch (error) {
      if (!REFUSED.has(`${(error as { code?: string }).code}`)) throw error
      expect(await refsOf(repo)).toEqual(before)
    }
    const after = await refsOf(repo)
    expectDescribed(after)
    states.set(await last(repo), after)
  }
  return states
}

const fresh = async (): Promise<{ repo: Repo; files: Files }> => ({
  repo: await openRepo(join(newFolder(), 'store')),
  files: new Files(),
})

describe('undo and redo', () => {
  it('walk back and forth over everything', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(steps(WRITES), async (taken) => {
        const { repo, files } = await fresh()
        const states = await walk(repo, files, taken)
        const count = await last(repo)
        for (let number = count; number > 0; number--) {
          expect((await undo(repo, { any: true })).operation.number).toBe(number)
          expect(await refsOf(repo)).toEqual(states.get(number - 1))
        }
        await expectFailure('nothing-to-undo', () => undo(repo, { any: true }))
        await sound(repo)
        for (let number = 1; number <= count; number++) {
          expect((await redo(repo)).operation.number).toBe(number)
          expect(await refsOf(repo)).toEqual(states.get(number))
        }
        await expectFailure('nothing-to-redo', () => redo(repo))
        await sound(repo)
        await repo.close()
      }),
      { numRuns: runs(20) },
    )
  })

  it('leave a sound store in any mixture, of which each moment can be read', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(steps([...WRITES, ...TURNS, ...TURNS]), async (taken) => {
        const { repo, files } = await fresh()
        const states = await walk(repo, files, taken)
        await sound(repo)
        for (const [number, refs] of states) {
          const past = await openRepo(repo.dir, { atOperation: `${number}` })
          expect(await refsOf(past)).toEqual(refs)
          expect(await last(past)).toBe(number)
          await sound(past)
          await past.close()
        }
        for (const which of [0, 1]) {
          const {
            files: [file],
          } = await importPaths(repo, [files.path(which)])
          const pieces: Uint8Array[] = []
          for await (const piece of exportSession(repo, `${file?.session}`)) pieces.push(piece)
          const source = readFileSync(files.path(which))
          expect(Buffer.concat(pieces).subarray(0, source.length).equals(source)).toBe(true)
        }
        await sound(repo)
        await repo.close()
      }),
      { numRuns: runs(40) },
    )
  })
})

describe('undo', () => {
  const typed = (): Promise<Repo> => openRepo(undefined, { command: 'sess test', actor: 'person' })

  it('leaves the head of a log once a later append has moved it on, and that of another writer as it was', async () => {
    const original = await typed()
    const id = await createSession(original, { title: 'Tea' })
    await append(original, id, [says('Green?')])
    await original.close()
    const copy = await openRepo(copyOf(original.dir), { command: 'sess test', actor: 'person' })
    const head = nativeOf((await sessionsOf(copy))[0]!)
    await append(copy, id, [says('Black?')])
    await createBranch(copy, id, 'other', `${id}~1`)
    const before = await last(copy)
    await append(copy, id, [says('White?')], { branch: 'other' })
    const { left } = await undo(copy, { operation: `${before - 1}` })
    expect(left).toEqual([nativeRefIn(copy.dir, id)])
    const [session] = await sessionsOf(copy)
    expect(session?.natives.size).toBe(2)
    expect([...(session?.natives.values() ?? [])]).toContainEqual(head)
    await sound(copy)
  })

  it('leaves no session with refs but without its description', async () => {
    const repo = await typed()
    const id = await createSession(repo, { title: 'Tea' })
    await append(repo, id, [says('Green?')])
    await createBranch(repo, id, 'other')
    await deleteBranch(repo, id, 'other')
    const before = await refsOf(repo)
    const { message } = await expectFailure('conflict', () => undo(repo, { operation: '1' }))
    expect(message).toBe(`'${id}' changed meanwhile (after operation 1, by operation 2: sess test)`)
    await removeSessions(repo, [id])
    const gone = await expectFailure('conflict', () => undo(repo, { operation: '4' }))
    expect(gone.message).toBe(`'${id}' changed meanwhile (after operation 4, by operation 5: sess test)`)
    await undo(repo)
    expect(await refsOf(repo)).toEqual(before)
    await undo(repo, { operation: '4' })
    expect((await listBranches(repo, id)).map(({ name }) => name)).toEqual(['main', 'other'])
  })

  it('does not take away the branch that a session has come to stand on', async () => {
    const repo = await typed()
    const id = await createSession(repo)
    await append(repo, id, [says('Green?')])
    await createBranch(repo, id, 'other')
    await switchTo(repo, 'other', id)
    const { message, remedy } = await expectFailure('conflict', () => undo(repo, { operation: '3' }))
    expect(message).toBe(`'${id}/HEAD' changed meanwhile (after operation 3, by operation 4: sess test)`)
    expect(remedy).toEqual({ kind: 'undo-first', operation: 4 })
    await undo(repo)
    expect((await undo(repo, { operation: '3' })).moves.map(({ name }) => name)).toEqual([
      `sessions/${id}/branches/other`,
    ])
  })

  it('takes the newest that touched a session, those included that are no more', async () => {
    const repo = await typed()
    const [tea, cake] = [
      await createSession(repo, { title: 'Tea' }),
      await createSession(repo, { title: 'Cake' }),
    ]
    await append(repo, tea, [says('Green?')])
    await append(repo, cake, [says('Plum?')])
    expect((await undo(repo, { session: 'Tea' })).operation.number).toBe(3)
    await removeSessions(repo, [tea])
    expect((await undo(repo, { session: 'Tea' })).operation.number).toBe(6)
    expect((await undo(repo, { session: 'Tea' })).operation.number).toBe(1)
    await expectFailure('nothing-to-undo', () => undo(repo, { session: 'Tea' }))
    await expectFailure('no-session', () => undo(repo, { session: 'Coffee' }))
    expect((await undo(repo)).operation.number).toBe(4)
  })

  it('lets nothing be redone after a new command, but what a program did', async () => {
    const repo = await typed()
    const id = await createSession(repo)
    await append(repo, id, [says('Green?')])
    await undo(repo)
    const library = await openRepo(repo.dir)
    await createSession(library)
    expect((await redo(repo)).operation.number).toBe(2)
    await undo(repo)
    await createSession(repo)
    await expectFailure('nothing-to-redo', () => redo(repo))
    expect((await undo(repo, { operation: '6' })).kind).toBe('redo')
  })

  it('does not believe the note on a file whose import is undone', async () => {
    const { repo, files } = await fresh()
    const path = files.path(0)
    const imported = async (): Promise<number[]> => {
      const { totals } = await importPaths(repo, [path])
      return [totals.records, totals.newEntries]
    }
    expect([await imported(), await imported()]).toEqual([
      [2, 2],
      [2, 0],
    ])
    await undo(repo, { any: true })
    const other = join(newFolder(), 'file-0.jsonl')
    writeFileSync(other, claudeLine('agent-0', 0, asked('u0', null, 'something else, and longer than that')))
    appendFileSync(other, claudeLine('agent-0', 1, answered('u1', 'u0', 'an answer, which is longer too')))
    await importPaths(repo, [other])
    expect(await imported()).toEqual([2, 0])
    expect((await sessionsOf(repo)).map(({ source }) => source?.count)).toEqual([2, 2])
    await sound(repo)
  })
})
