import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../../src/ops/fsck/repairstore.ts'
import { gc } from '../../../src/ops/gc.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { setLabel } from '../../../src/ops/label.ts'
import { log } from '../../../src/ops/log.ts'
import { expunge } from '../../../src/ops/secrets/expunge.ts'
import { backUp, restore } from '../../../src/repo/backup.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { expectFailure } from '../../support/errors.ts'
import { standsIn } from '../../support/everybyte.ts'
import { newFolder } from '../../support/folder.ts'
import { GITHUB } from '../../support/secrets.ts'
import { copyOf } from '../../support/smallstore.ts'
import { openRepo, quietEnv } from '../../support/store.ts'
import { claudeLine } from '../../support/transcripts.ts'

const PLACE = 'the meeting is at noon behind the old lighthouse'

const LONG = 'word by word '.repeat(500)

const says = (content: string) => ({ body: { role: 'user', content } })

/** A line that says something, beside its message too. */
const line = (session: string, uuid: string, content: string, more: object = {}): string =>
  claudeLine(session, 0, {
    type: 'user',
    uuid,
    parentUuid: null,
    message: { role: 'user', content },
    ...more,
  })

/** Has something done each time before a store does some work of its own. */
function beforeEach(repo: Repo, name: 'write' | 'rewrite', work: () => Promise<unknown>): void {
  const own = repo[name].bind(repo) as (...args: readonly unknown[]) => Promise<unknown>
  Object.assign(repo, {
    [name]: async (...args: readonly unknown[]) => {
      await work()
      return own(...args)
    },
  })
}

async function saidBy(repo: Repo, revision: string): Promise<(string | null)[]> {
  const said: (string | null)[] = []
  for await (const { text } of log(repo, revision)) said.unshift(text)
  return said
}

it('refuses to make two labels one, and changes nothing', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const [oid] = await append(repo, id, [says('more')])
  await setLabel(repo, `key ${GITHUB}`, oid)
  await setLabel(repo, `key ${Buffer.from(GITHUB).toString('base64url')}`, oid)
  await expectFailure('exists', () => expunge(repo, { secrets: [GITHUB] }))
  expect((await fsck(repo)).ok).toBe(true)
})

it('is an operation only once the content is gone, and succeeds beside a gc', async () => {
  const repo = await openRepo()
  const beside = await openRepo(repo.dir)
  const id = await createSession(repo)
  const [oid] = await append(repo, id, [says(PLACE), says('more')])
  const latest = () => repo.read(async (reader) => (await reader.operationLog()).latest)
  const before = await latest()
  let turns = 0
  beforeEach(repo, 'rewrite', async () => {
    turns++
    expect([await latest(), (await saidBy(repo, id))[0]]).toEqual([before, PLACE])
  })
  await Promise.all([
    expunge(repo, { entries: [oid as Oid], force: true }),
    gc(beside, { operations: Number.POSITIVE_INFINITY, grace: Number.POSITIVE_INFINITY }),
  ])
  expect([turns, await latest(), await saidBy(repo, id)]).toEqual([1, before + 1, ['[expunged]', 'more']])
})

describe('what is written while something is expunged', () => {
  for (const [step, what] of [
    ['rewrite', 'between its being found and its removal'],
    ['write', 'between its removal and the operation'],
  ] as const)
    it(`goes too: ${what}`, async () => {
      const repo = await openRepo()
      const id = await createSession(repo)
      const [oid, other] = await append(repo, id, [says(PLACE), says(`Use ${GITHUB}`)])
      const beside = await openRepo(repo.dir)
      const files = newFolder()
      let turn = 0
      beforeEach(repo, step, async () => {
        const name = `t${turn++}`
        const anew = await createSession(beside)
        await append(beside, anew, [says('before'), says(PLACE), says(`${name} uses ${GITHUB}`)])
        await append(beside, id, [says(PLACE)])
        await setLabel(beside, `${name} ${GITHUB}`, anew)
        const path = join(files, `${name}.jsonl`)
        const beneath = (text: string) => ({ toolUseResult: { stdout: text } })
        writeFileSync(
          path,
          line(name, 'u1', PLACE, beneath(`${PLACE}, and ${GITHUB}`)) +
            line(name, 'u2', `${name}: ${GITHUB}`, beneath(GITHUB)),
        )
        // Long texts are stored apart from their record and body.
        const apart = [
          line(`${name}a`, 'u1', `${name} says ${LONG}${GITHUB}`),
          line(`${name}b`, 'u1', 'in short', beneath(`${name} prints ${LONG}\u00e9${GITHUB}`)),
        ].map((text, i) => {
          const file = join(files, `${name}.${i}.jsonl`)
          writeFileSync(file, text.replace('é', '\\u00e9'))
          return file
        })
        await importPaths(beside, apart)
        appendFileSync(path, `{"torn": "${GITHUB}`)
        await importPaths(beside, [path])
      })
      const imported = join(files, 'first.jsonl')
      writeFileSync(imported, line('first', 'u1', PLACE))
      const { files: taken } = await importPaths(beside, [imported])
      const entries = [oid as Oid, ...(await namesOf(beside, taken[0]?.session ?? ''))]
      await expunge(repo, { entries, secrets: [GITHUB] })
      expect(turn).toBeGreaterThan(0)
      expect(await saidBy(repo, id)).toContain('[expunged]')
      expect((await fsck(repo)).findings).toEqual([])
      expect(await repo.read((reader) => reader.find(other as Oid))).toBeDefined()
      await Promise.all([repo.close(), beside.close()])
      for (const text of ['lighthouse', GITHUB]) expect(await standsIn(repo.dir, text)).toEqual([])
    })
})

async function namesOf(repo: Repo, session: string): Promise<Oid[]> {
  const oids: Oid[] = []
  for await (const { oid } of log(repo, session)) oids.push(oid)
  return oids
}

/** A store with something to be expunged, and two copies of it from before. */
async function copied() {
  const repo = await openRepo(join(newFolder(), 'store'))
  const path = join(newFolder(), 'talk.jsonl')
  writeFileSync(path, line('talk', 'u1', `Use ${GITHUB}`) + line('talk', 'u2', PLACE))
  await importPaths(repo, [path])
  const id = await createSession(repo, { title: 'own' })
  const [oid] = await append(repo, id, [says(PLACE), says(`And ${GITHUB}`)])
  await repo.close()
  const [copy, again] = [copyOf(repo.dir), copyOf(repo.dir)]
  const here = await openRepo(repo.dir)
  const talk = await here.read(async (reader) => {
    for await (const entry of reader.entries())
      if (JSON.stringify(await reader.body(entry)).includes('lighthouse')) return reader.oid(entry)
    return undefined
  })
  await expunge(here, { entries: [oid as Oid, talk as Oid], secrets: [GITHUB] })
  return { here, id, copy, again, path }
}

async function expectGone(repo: Repo): Promise<void> {
  expect((await fsck(repo)).findings).toEqual([])
  await repo.close()
  for (const text of ['lighthouse', GITHUB]) expect(await standsIn(repo.dir, text)).toEqual([])
}

describe('what was expunged does not come back', () => {
  it('by joining a copy that has it still, and was written since', async () => {
    const { here, id, copy } = await copied()
    const there = await openRepo(copy)
    await append(there, id, [says(`${PLACE} still`), says(PLACE), says(`more of ${GITHUB}`)])
    for (const session of [id, 'talk']) {
      const pieces: Uint8Array[] = []
      for await (const piece of exportSession(there, session, { format: 'sess' })) pieces.push(piece)
      const file = join(newFolder(), `${session}.jsonl`)
      writeFileSync(file, Buffer.concat(pieces).toString().replaceAll(`${PLACE} still`, 'still there'))
      expect((await importPaths(here, [file])).refused).toEqual([])
    }
    await expectGone(here)
  })

  it('by repairing a store from a copy that has it still, and from the files that it was read from', async () => {
    const { here, id, copy, path } = await copied()
    await append(here, id, [says('what came since')])
    await here.close()
    const [database = ''] = readdirSync(here.dir).filter((name) => name.startsWith('db.'))
    const files = readdirSync(join(here.dir, database)).filter((name) => /\.(?:ldb|log)$/.test(name))
    for (const name of files.map((file) => join(here.dir, database, file))) {
      const bytes = readFileSync(name)
      for (let at = 40; at < bytes.length; at += 200) bytes[at]! ^= 0x21
      writeFileSync(name, bytes)
    }
    expect(readFileSync(path, 'utf8')).toContain(GITHUB)
    const { before, done } = await repairStore(here.dir, {
      env: quietEnv(),
      command: 'sess fsck --repair',
      from: copy,
    })
    expect([before.ok, done?.after.findings]).toEqual([false, []])
    expect(done?.entries).toBeGreaterThan(2)
    await expectGone(await openRepo(here.dir))
  })

  it('by a backup that is brought up to date, or restored', async () => {
    const { here, again } = await copied()
    const backup = join(newFolder(), 'backup')
    backUp(again, backup, quietEnv())
    expect(await standsIn(copyOf(backup), GITHUB)).not.toEqual([])
    backUp(here.dir, backup, quietEnv())
    expect(await standsIn(copyOf(backup), GITHUB)).toEqual([])
    const restored = join(newFolder(), 'restored')
    restore(backup, restored)
    const repo = await openRepo(restored)
    const file = join(newFolder(), 'new.jsonl')
    writeFileSync(file, line('new', 'u1', PLACE) + line('new', 'u2', `again ${GITHUB}`))
    await importPaths(repo, [file])
    await expectGone(repo)
  })
})
