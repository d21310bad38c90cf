import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Format } from '../../../src/formats/core/format.ts'
import { FORMATS, type ListedFormat } from '../../../src/formats/registry.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { leafRef } from '../../../src/model/refname.ts'
import { append } from '../../../src/ops/append/append.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fork } from '../../../src/ops/fork.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { setLabel } from '../../../src/ops/label.ts'
import { log } from '../../../src/ops/log.ts'
import { type Reread, rereadSources } from '../../../src/ops/reread/reread.ts'
import { undo } from '../../../src/ops/undo.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession } from '../../../src/repo/session.ts'
import { isGivenBack, sendAway, takeBack } from '../../support/exchanged.ts'
import { newFolder } from '../../support/folder.ts'
import { goOn } from '../../support/goingon.ts'
import { openRepo, refsOf } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

const formats = FORMATS as ListedFormat[]
const all = [...formats]
afterEach(() => {
  formats.splice(0, formats.length, ...all)
})

const listed = all.find(({ name }) => name === 'claude-code') as ListedFormat
const claude = listed.load()

/** Lets another format stand in the place of Claude Code's, as an older version of this program had it. */
const before = (older: readonly Format[]): void => {
  const olderListed = older.map((format) => ({ ...format, load: () => format }))
  formats.splice(0, formats.length, ...all.flatMap((one) => (one === listed ? olderListed : [one])))
}

/** An older reading of Claude Code's format, that took the time into the body. */
const older: Format = {
  ...claude,
  reading: 0,
  reader(name, folder) {
    const reader = claude.reader(name, folder)
    return {
      read(unit) {
        const reading = reader.read(unit)
        const { timestamp } = unit.value as JsonObject
        if (!reading.entry) return reading
        const body = { ...(reading.entry.body as JsonObject), ...(timestamp !== undefined && { timestamp }) }
        return { ...reading, entry: { ...reading.entry, body } }
      },
      active: () => reader.active(),
      facts: () => reader.facts(),
    }
  },
}

const TEXT = claudeLines(
  's1',
  asked('u1', null, 'What is the tide?'),
  answered('a1', 'u1', 'High.'),
  asked('u2', 'a1', 'And now?'),
  answered('a2', 'u2', 'Low.'),
  asked('u3', 'a1', 'And tomorrow?'),
  answered('a3', 'u3', 'High again.'),
).join('')

function write(text = TEXT): string {
  const path = join(newFolder(), 's1.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, Date.UTC(2025, 11, 31, 23) / 1000, Date.UTC(2025, 11, 31, 23) / 1000)
  return path
}

async function texts(repo: Repo, revision: string): Promise<(string | null)[]> {
  const found: (string | null)[] = []
  for await (const { text } of log(repo, revision)) found.push(text)
  return found
}

const session = (repo: Repo, id = 's1') => repo.read((reader) => getSession(reader, id))

async function bytesOf(repo: Repo): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, 's1')) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** The refs that a store has where the file was read by the newest reading from the first. */
async function fresh(path: string): Promise<Record<string, unknown>> {
  const repo = await openRepo()
  await importPaths(repo, [path])
  const { branches, meta } = await session(repo)
  return {
    branches: Object.fromEntries(branches),
    format: meta.format,
    title: meta.title,
    prompt: meta.prompt,
  }
}

describe('reading again', () => {
  it('keeps the folder that was found by the place of the file, which its bytes do not show', async () => {
    const [home, text] = [newFolder(), TEXT.replaceAll('"/work"', '"/gone/lamp"')]
    const project = join(home, 'lamp-new')
    mkdirSync(project)
    const path = join(home, claude.projectFolder?.name(project) ?? '', 's1.jsonl')
    mkdirSync(dirname(path))
    writeFileSync(path, text)
    before([older])
    const repo = await openRepo()
    await importPaths(repo, [path])
    const { meta } = await session(repo)
    expect(meta).toMatchObject({ cwd: project, folders: ['/gone/lamp', project] })
    formats.splice(0, formats.length, ...all)
    expect((await rereadSources(repo, [])).sessions).toHaveLength(1)
    expect((await session(repo)).meta).toMatchObject({ cwd: project, folders: ['/gone/lamp', project] })
  })

  it.each([
    ['an older reading', [older]],
    ['the generic format', []],
  ])('makes of %s what the newest reading makes of the file', async (_what, former) => {
    const path = write()
    before(former)
    const repo = await openRepo()
    await importPaths(repo, [path])
    const id = (await importPaths(repo, [path])).files[0]?.session as string
    const old = await session(repo, id)
    formats.splice(0, formats.length, ...all)
    const { sessions } = await rereadSources(repo, [])
    const [done] = sessions as Reread[]
    expect(done).toMatchObject({ session: id, now: { format: 'claude-code', reading: claude.reading } })
    expect(done?.before).toEqual({ format: former[0]?.name ?? 'jsonl', reading: former[0]?.reading ?? 1 })
    const { branches, meta, source } = await session(repo, id)
    const { branches: names, ...about } = await fresh(path)
    expect(meta).toMatchObject(about)
    expect(new Set(branches.values())).toEqual(new Set(Object.values(names as object)))
    expect(source?.log).not.toBe(old.source?.log)
    const map = new Map(done?.map)
    expect(map.size).toBe(6)
    expect(map.get(old.branches.get('main') as Oid)).toBe(branches.get('main'))
    expect((await fsck(repo)).findings).toEqual([])
    expect((await importPaths(repo, [path])).files[0]).toMatchObject({ session: id, newObjects: 0 })
    expect(await rereadSources(repo, [])).toMatchObject({
      sessions: [{ session: id, reading: claude.reading }],
    })
  })

  it('carries over what users made of it, in one operation that undo takes back', async () => {
    const path = write()
    before([older])
    const repo = await openRepo()
    await importPaths(repo, [path])
    const { session: forked } = await fork(repo, 's1~1')
    await append(repo, forked, [{ body: { role: 'user', content: 'Elsewhere.' } }])
    await append(repo, 's1', [{ body: { role: 'user', content: 'More.' } }])
    await append(repo, 's1', [{ body: { role: 'assistant', content: 'Much more.' } }])
    await createBranch(repo, 's1', 'mine', 's1~3')
    await setLabel(repo, 'here', 's1~2')
    const paths = async () =>
      Promise.all(['s1', 's1/mine', 's1/here', forked].map((revision) => texts(repo, revision)))
    const said = await paths()
    const refs = await refsOf(repo)
    const operations = await repo.read(async (reader) => (await reader.operationLog()).latest)
    formats.splice(0, formats.length, ...all)
    await rereadSources(repo, [path])
    expect(await repo.read(async (reader) => (await reader.operationLog()).latest)).toBe(operations + 1)
    expect(await paths()).toEqual(said)
    const types: string[] = []
    for await (const { oid, time } of log(repo, 's1')) types.push(`${oid.slice(0, 4)} ${time !== null}`)
    expect(types.every((one) => one.endsWith('true'))).toBe(true)
    expect((await fsck(repo)).findings).toEqual([])
    expect(await bytesOf(repo)).toBe(TEXT)
    const now = await refsOf(repo)
    for (const name of ['branches/main', 'branches/mine', 'labels/here'])
      expect(now[`sessions/s1/${name}`]).not.toBe(refs[`sessions/s1/${name}`])
    await undo(repo, { any: true })
    expect(await refsOf(repo)).toEqual(refs)
  })

  it.each(['codex', 'pi', 'opencode', 'rollouts'] as const)(
    'lets what was written as %s go on with what stands for it now, where its agent added to it before and after',
    async (format) => {
      before([older])
      const repo = await openRepo()
      await importPaths(repo, [write()])
      const away = await sendAway(repo, 's1', format)
      goOn(away.path, format)
      expect((await takeBack(repo, away))?.session).toBe('s1')
      const said = await texts(repo, 's1')
      before([claude])
      const refs = await refsOf(repo)
      const { sessions } = await rereadSources(repo, [])
      expect(sessions).toMatchObject([{ session: 's1', before: { reading: 0 } }])
      expect([await texts(repo, 's1'), await isGivenBack(repo, away)]).toEqual([said, true])
      goOn(away.path, format, 'and on')
      const more = await takeBack(repo, away)
      expect([more?.session, more?.exported, more?.newEntries]).toEqual(['s1', away.id, 4])
      const after = await texts(repo, 's1')
      expect([after.length, after.slice(4)]).toEqual([said.length + 4, said])
      expect([await isGivenBack(repo, away), (await fsck(repo)).findings]).toEqual([true, []])
      await undo(repo, { any: true })
      await undo(repo, { any: true })
      expect(await refsOf(repo)).toEqual(refs)
    },
  )

  it('carries over where the agent stood that a session is kept for', async () => {
    before([older])
    const repo = await openRepo()
    await importPaths(repo, [write()])
    const [tip = ''] = (await session(repo)).branches.values()
    await repo.write({}, ({ move }) => {
      move(leafRef('s1'), undefined, { record: 'a3', bytes: 9, tip })
      return Promise.resolve()
    })
    before([claude])
    const [done] = (await rereadSources(repo, [])).sessions
    const now = new Map('map' in (done as Reread) ? (done as Reread).map : []).get(tip as Oid)
    expect((await refsOf(repo))['sessions/s1/leaf']).toEqual({ record: 'a3', bytes: 9, tip: now })
  })

  it('changes nothing where the newest reading was used', async () => {
    const repo = await openRepo()
    await importPaths(repo, [write()])
    const refs = await refsOf(repo)
    expect(await rereadSources(repo, ['s1'])).toEqual({
      sessions: [{ session: 's1', format: 'claude-code', reading: claude.reading }],
      grafts: [],
    })
    expect(await refsOf(repo)).toEqual(refs)
  })

  it('leaves what a format of its own took where only the generic one would take it', async () => {
    const repo = await openRepo()
    await importPaths(repo, [write()])
    before([])
    formats.push({ ...listed, load: () => ({ ...claude, detect: () => false }) })
    expect((await rereadSources(repo, [])).sessions).toMatchObject([{ format: 'claude-code' }])
  })

  it('reads only what is named', async () => {
    before([older])
    const repo = await openRepo()
    await importPaths(repo, [write(), write(TEXT.replaceAll('s1', 's2'))])
    formats.splice(0, formats.length, ...all)
    expect((await rereadSources(repo, ['s2'])).sessions.map((one) => one.session)).toEqual(['s2'])
    expect((await session(repo)).source?.reading).toBe(0)
  })

  it('grafts what lacks its parent as it is read now', async () => {
    const id = (n: number): string => `${n}`.padStart(8, '0').concat('-0000-4000-8000-000000000000')
    const first = claudeLines('first', asked(id(1), null), answered(id(2), id(1))).join('')
    const second = claudeLines('second', asked(id(9), null), asked(id(3), id(2)), answered(id(4), id(3)))
    const repo = await openRepo()
    await importPaths(repo, [write(first)])
    before([])
    const { files } = await importPaths(repo, [write(second.join(''))])
    formats.splice(0, formats.length, ...all)
    const { grafts } = await rereadSources(repo, [])
    expect(grafts).toMatchObject([{ session: files[0]?.session, outcome: 'joined', holder: 'first' }])
    expect((await fsck(repo)).findings).toEqual([])
  })
})
