import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { writableNamed } from '../../../src/formats/writable.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { log } from '../../../src/ops/log.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import { switchTo } from '../../../src/ops/switch.ts'
import { undo } from '../../../src/ops/undo.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession } from '../../../src/repo/session.ts'
import { sampled } from '../../support/amount.ts'
import { isGivenBack, pathOf, sendAway, sessionsIn, takeBack } from '../../support/exchanged.ts'
import { newFolder } from '../../support/folder.ts'
import { AGENTS, goOn } from '../../support/goingon.ts'
import { openRepo } from '../../support/store.ts'

const SAMPLES = fileURLToPath(new URL('../../demo/sessions', import.meta.url))
const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url))

/** A session of each format that can be written. */
const EACH = [
  ...['claude/session.jsonl', 'codex/turn.jsonl', 'pi/v1.jsonl', 'pi/v3.jsonl', 'pi/v4.jsonl'],
  ...['oh-my-pi/session.jsonl', 'gemini/log.jsonl', 'opencode/session.json', 'dash/session.jsonl'],
  ...['rollouts/session.jsonl', 'drafts/index-tree.jsonl', 'drafts/uuid-tree.jsonl', 'generic/chat.jsonl'],
]

const says = (role: string, content: string) => ({ body: { role, content } })

async function imported(): Promise<{ repo: Repo; ids: string[] }> {
  const repo = await openRepo()
  const { files } = await importPaths(repo, [SAMPLES])
  return { repo, ids: files.map(({ session }) => session) }
}

async function made(repo: Repo): Promise<string> {
  const id = await createSession(repo, { title: 'made', cwd: '/home/ada' })
  await append(repo, id, [says('user', 'one'), says('assistant', 'two'), says('user', 'three')])
  return id
}

describe.each(sampled(AGENTS, 2))('a session that was written for %s', (format) => {
  it('is the same session when it comes back, and goes on with what is new', async () => {
    const { repo, ids } = await imported()
    const count = await sessionsIn(repo)
    for (const id of new Set(ids)) {
      const before = await pathOf(repo, id)
      const away = await sendAway(repo, id, format)
      expect(away.remembered).toBe(true)
      const same = await takeBack(repo, away)
      expect([same?.session, same?.exported, same?.newEntries]).toEqual([id, away.id, 0])
      expect(await pathOf(repo, id)).toEqual(before)
      goOn(away.path, format)
      const more = await takeBack(repo, away)
      expect([more?.session, more?.format, more?.newEntries]).toEqual([
        ...[id, writableNamed(format)?.format?.name, 4],
      ])
      const after = await pathOf(repo, id)
      expect([after.length, after.slice(4)]).toEqual([before.length + 4, before])
      expect(await isGivenBack(repo, away)).toBe(true)
    }
    expect(await sessionsIn(repo)).toBe(count)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('goes on when it came from any format that can be written', { timeout: 200_000 }, async () => {
    const repo = await openRepo()
    const { files } = await importPaths(
      repo,
      EACH.map((file) => FIXTURES + file),
    )
    expect(files).toHaveLength(EACH.length)
    const wrong: unknown[] = []
    for (const { session, path } of files) {
      const before = await pathOf(repo, session)
      const away = await sendAway(repo, session, format)
      const same = await takeBack(repo, away)
      goOn(away.path, format)
      const more = await takeBack(repo, away)
      const after = await pathOf(repo, session)
      const found = [same?.session, same?.newEntries, more?.session, more?.newEntries, after.slice(4)]
      if (JSON.stringify(found) !== JSON.stringify([session, 0, session, 4, before]))
        wrong.push([path.slice(FIXTURES.length), found.slice(0, 4), before.length, after.length])
    }
    expect(wrong).toEqual([])
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('says what its agent said, in order, and when', async () => {
    const repo = await openRepo()
    const id = await made(repo)
    const away = await sendAway(repo, id, format)
    goOn(away.path, format)
    await takeBack(repo, away)
    const said: unknown[] = []
    for await (const { role, text, time } of log(repo, id, { limit: 4 })) said.push([role, text, time])
    const time = '2027-01-02T03:04:05.678Z'
    const of = (at: number): unknown[] => said[3 - at] as unknown[]
    expect([of(0), of(3)]).toEqual([
      ['user', 'and on we go', time],
      ['assistant', 'done', time],
    ])
    expect([of(1)[0], of(2)[2]]).toEqual(['assistant', time])
  })

  it('goes on a second time, and after its import was undone', async () => {
    const repo = await openRepo()
    const id = await made(repo)
    const before = await pathOf(repo, id)
    const away = await sendAway(repo, id, format)
    goOn(away.path, format)
    await takeBack(repo, away)
    const first = await pathOf(repo, id)
    await undo(repo, { any: true })
    expect(await pathOf(repo, id)).toEqual(before)
    expect((await takeBack(repo, away))?.session).toBe(id)
    expect(await pathOf(repo, id)).toEqual(first)
    goOn(away.path, format, 'once more')
    expect((await takeBack(repo, away))?.newEntries).toBe(4)
    expect((await pathOf(repo, id)).slice(4)).toEqual(first)
    expect(await isGivenBack(repo, away)).toBe(true)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('goes on on a branch of its own where its branch has moved', async () => {
    const repo = await openRepo()
    const id = await made(repo)
    const tip = (await pathOf(repo, id))[0]
    const away = await sendAway(repo, id, format)
    const [own] = await append(repo, id, [says('assistant', 'meanwhile here')])
    goOn(away.path, format)
    await takeBack(repo, away)
    const { branches } = await repo.read((reader) => getSession(reader, id))
    const other = [...branches.keys()].find((name) => name !== 'main') as string
    expect([branches.get('main'), other]).toEqual([own, expect.stringMatching(/^at-[0-9a-f]{8}$/)])
    const path = await pathOf(repo, `${id}/${other}`)
    expect([path.length, path[4], path[3]?.slice(0, 8)]).toEqual([7, tip, other.slice(3)])
    goOn(away.path, format, 'once more')
    await takeBack(repo, away)
    const now = await repo.read((reader) => getSession(reader, id))
    expect([...now.branches.keys()]).toEqual([other, 'main'])
    expect(await pathOf(repo, `${id}/${other}`)).toHaveLength(11)
  })

  it('continues an entry that no branch ends at on a branch of its own', async () => {
    const repo = await openRepo()
    const id = await made(repo)
    const [tip, before] = await pathOf(repo, id)
    await switchTo(repo, before as string, id)
    const away = await sendAway(repo, id, format)
    goOn(away.path, format)
    await takeBack(repo, away)
    const { branches } = await repo.read((reader) => getSession(reader, id))
    const other = [...branches.keys()].find((name) => name !== 'main') as string
    expect(branches.get('main')).toBe(tip)
    expect((await pathOf(repo, `${id}/${other}`)).slice(4, 5)).toEqual([before])
  })

  it('is another session where it was not remembered: the export was undone, or the session is removed', async () => {
    const repo = await openRepo()
    const id = await made(repo)
    const away = await sendAway(repo, id, format)
    await undo(repo, { any: true })
    const other = await takeBack(repo, away)
    expect([other?.session, other?.exported]).toEqual([away.id, undefined])
    await removeSessions(repo, [away.id])
    await undo(repo, { any: true })
    const again = await made(repo)
    const second = await sendAway(repo, again, format)
    await removeSessions(repo, [again])
    expect((await takeBack(repo, second))?.session).toBe(second.id)
  })
})

/** The formats that are one file of lines, which may lose its end. */
const OF_LINES = AGENTS.filter(
  (format) => !['opencode-files', 'opencode-database', 'rollouts-folder'].includes(format),
)

it.each(OF_LINES)(
  'a session that was written for %s is an earlier state where it lost its end, a new session where its words changed',
  async (format) => {
    const repo = await openRepo()
    const id = await made(repo)
    const away = await sendAway(repo, id, format)
    const text = readFileSync(away.path, 'utf8')
    truncateSync(away.path, text.lastIndexOf('\n', text.length - 2) + 1)
    const earlier = await takeBack(repo, away)
    expect([earlier?.session, earlier?.contained]).toEqual([id, true])
    writeFileSync(away.path, text.replaceAll('one', 'eins'))
    const changed = await takeBack(repo, away)
    expect([changed?.session, changed?.newEntries]).toEqual([away.id, 3])
  },
)

it('remembers nothing of what no agent reads', async () => {
  const repo = await openRepo()
  const id = await made(repo)
  expect((await sendAway(repo, id, 'markdown')).remembered).toBe(false)
  expect((await sendAway(repo, await createSession(repo), 'pi')).remembered).toBe(false)
})

it('goes on in a session whose id another has too, written for the agent that both came from', async () => {
  const repo = await openRepo()
  const own = readFileSync(`${FIXTURES}claude/session.jsonl`, 'utf8').trimEnd().split('\n')
  const other = own.map((line) => line.replaceAll(/"content":"[^"]+"/g, '"content":"said otherwise"'))
  const ids: string[] = []
  for (const lines of [own, other]) {
    const path = join(newFolder(), 'copy.jsonl')
    writeFileSync(path, `${lines.join('\n')}\n`)
    ids.push((await importPaths(repo, [path])).files[0]?.session ?? '')
  }
  expect(new Set(ids).size).toBe(2)
  const second = ids[1] as string
  const before = await pathOf(repo, second)
  const away = await sendAway(repo, second, 'claude-code')
  expect(ids).not.toContain(away.id)
  goOn(away.path, 'claude-code')
  const more = await takeBack(repo, away)
  expect([more?.session, more?.newEntries]).toEqual([second, 4])
  expect((await pathOf(repo, second)).slice(4)).toEqual(before)
  expect(await sessionsIn(repo)).toBe(2)
})
