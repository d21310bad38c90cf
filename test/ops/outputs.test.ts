import { appendFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { regularExpression } from '../../src/model/pattern/pattern.ts'
import { textOf } from '../../src/model/view.ts'
import { contextOf } from '../../src/ops/context/context.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { reindex } from '../../src/ops/indexing.ts'
import { log } from '../../src/ops/log.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import { select } from '../../src/ops/revset/run.ts'
import { search } from '../../src/ops/search/search.ts'
import { expunge } from '../../src/ops/secrets/expunge.ts'
import { show } from '../../src/ops/show.ts'
import { undo } from '../../src/ops/undo.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { resolve } from '../../src/repo/revision.ts'
import { agentFile, calls, FAMILY, returns, sessionFile, writeFiles } from '../support/claudefamily.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'
import { answered, asked, claudeLine } from '../support/transcripts.ts'

const AGENT = 'agent-a111111111111111a'
const OUTPUT = `p/${FAMILY}/tool-results/t1.txt`
const TEXT = `line 1\n${'x'.repeat(300)}\nundervoltage on rail seven\n`

const preview = (path: string): string =>
  `<persisted-output>\nOutput too large (98.2KB). Full output saved to: ${path}\n\nPreview (first 2KB):\nline 1\n...\n</persisted-output>`
const spilled = (path = `/home/ada/.claude/projects/p/${FAMILY}/tool-results/t1.txt`): JsonObject => ({
  content: preview(path),
  toolUseResult: { stdout: 'line 1', persistedOutputPath: path },
})

const MAIN = [asked('u1', null), calls('c1', 'u1', 't1', 'Bash')]
const FILES = {
  [`p/${FAMILY}.jsonl`]: sessionFile(...MAIN, returns('r1', 'c1', 't1', spilled()), answered('e1', 'r1')),
  [OUTPUT]: TEXT,
}

const imported = async (files: Readonly<Record<string, string>>): Promise<readonly [Repo, string]> => {
  const [repo, folder] = [await openRepo(), writeFiles(newFolder(), files)]
  await importPaths(repo, [folder])
  return [repo, folder]
}
const oid = (repo: Repo, revision = `${FAMILY}:r1`) =>
  repo.read(async (reader) => reader.oid((await resolve(reader, revision)).handle))
const found = async (repo: Repo, words = 'undervoltage') =>
  (await search(repo, words)).hits.map(({ session, oid: entry }) => [session, entry])
const results = async (repo: Repo, revision = `${FAMILY}:r1`): Promise<string[]> =>
  (await show(repo, revision)).view.blocks.flatMap((block) =>
    block.kind === 'toolResult' ? [block.text] : [],
  )

async function expectFound(repo: Repo): Promise<void> {
  expect(await found(repo)).toEqual([[FAMILY, await oid(repo)]])
  expect(await results(repo)).toEqual([TEXT])
  await reindex(repo)
  expect(await found(repo)).toEqual([[FAMILY, await oid(repo)]])
  expect((await fsck(repo)).findings).toEqual([])
}

describe('a large output in a file beside a session', () => {
  it('is found and shown in full; the context keeps the preview', async () => {
    const [repo] = await imported(FILES)
    await expectFound(repo)
    const context = await contextOf(repo, `${FAMILY}:e1`)
    expect(JSON.stringify(context.messages)).not.toContain('undervoltage')
    expect((await show(repo, `${FAMILY}:r1`)).outputs).toMatchObject([
      { id: 't1', session: FAMILY, file: `${FAMILY}/tool-results/t1.txt`, bytes: TEXT.length },
    ])
    expect([...(await show(repo, `${FAMILY}:c1`)).around.counterparts.values()]).toMatchObject([
      { block: { text: TEXT } },
    ])
  })

  it('is found by an expression, and by the pattern of a log', async () => {
    const [repo] = await imported(FILES)
    const oids: unknown[] = []
    for await (const entry of select(repo, 'text("rail seven")', { session: FAMILY })) oids.push(entry.oid)
    for await (const entry of log(repo, FAMILY, { grep: regularExpression('rail s\\w+') }))
      oids.push(entry.oid)
    expect(oids).toEqual([await oid(repo), await oid(repo)])
  })

  it('is in a log only where the whole results are wanted', async () => {
    const [repo] = await imported(FILES)
    const logged = async (whole: boolean): Promise<string> => {
      let all = ''
      for await (const { view } of log(repo, FAMILY, { whole })) all += JSON.stringify(view)
      return all
    }
    expect(await logged(true)).toContain('undervoltage')
    expect(await logged(false)).not.toContain('undervoltage')
  })

  it.each([true, false])('is found where the file comes later (just changed: %s)', async (fresh) => {
    const [repo, folder] = [await openRepo(), newFolder()]
    const { [OUTPUT]: text, ...rest } = FILES
    writeFiles(folder, rest, { fresh })
    await importPaths(repo, [folder])
    expect(await found(repo)).toEqual([])
    expect(await results(repo)).toEqual([expect.stringContaining('<persisted-output>')])
    writeFiles(folder, { [OUTPUT]: text }, { fresh })
    await importPaths(repo, [folder])
    await expectFound(repo)
  })

  it('is found as it is now, where the file has changed', async () => {
    const [repo, folder] = await imported({ ...FILES, [OUTPUT]: 'not yet' })
    expect(await found(repo)).toEqual([])
    writeFiles(folder, { [OUTPUT]: TEXT }, { fresh: true })
    await importPaths(repo, [folder])
    await expectFound(repo)
  })

  it('is found among entries that were indexed before, and a rebuilt index is as good', async () => {
    const many = Array.from({ length: 1500 }, (_, i) => asked(`m${i}`, i === 0 ? 'r1' : `m${i - 1}`))
    const { [OUTPUT]: text, ...rest } = FILES
    const long = {
      [`p/${FAMILY}.jsonl`]: sessionFile(...MAIN, returns('r1', 'c1', 't1', spilled()), ...many),
    }
    const [repo, folder] = await imported({ ...rest, ...long })
    expect(await repo.read((reader) => reader.index.waiting())).toBeLessThan(512)
    expect(await found(repo)).toEqual([])
    writeFiles(folder, { [OUTPUT]: text })
    await importPaths(repo, [folder])
    await expectFound(repo)
    appendFileSync(
      join(folder, `p/${FAMILY}.jsonl`),
      Array.from({ length: 1500 }, (_, i) =>
        claudeLine(FAMILY, i, asked(`n${i}`, i === 0 ? 'm1499' : `n${i - 1}`)),
      ).join(''),
    )
    await importPaths(repo, [folder])
    await expectFound(repo)
  })

  const OWN = `p/${FAMILY}/subagents/${AGENT}.jsonl`
  const OF_AGENT = {
    [`p/${FAMILY}.jsonl`]: sessionFile(asked('u1', null)),
    [OWN]: agentFile(
      'a111111111111111a',
      asked('s1', null),
      calls('c1', 's1', 't1', 'Bash'),
      returns('r1', 'c1', 't1', spilled()),
    ),
    [OUTPUT]: TEXT,
  }
  it.each([[[OWN, `p/${FAMILY}.jsonl`]], [[`p/${FAMILY}.jsonl`, OWN]], [['']]])(
    'of a sub-agent is in the folder of its session, in any order of imports: %s',
    async (order) => {
      const [repo, folder] = [await openRepo(), writeFiles(newFolder(), OF_AGENT)]
      for (const name of order) await importPaths(repo, [join(folder, name)])
      expect(await found(repo)).toEqual([[AGENT, await oid(repo, `${AGENT}:r1`)]])
      expect(await results(repo, `${AGENT}:r1`)).toEqual([TEXT])
    },
  )

  it.each([
    [
      'a notice of a tool that runs elsewhere',
      {
        content:
          'Error: result (9 characters) exceeds maximum allowed tokens. Output has been saved to C:\\Users\\ada\\.claude\\projects\\p\\FAMILY\\tool-results\\t1.txt.\nFormat: Plain text',
      },
    ],
    [
      'a preview without a path, by the id of the call',
      { content: '<persisted-output>\nOutput too large\n</persisted-output>' },
    ],
    [
      'a preview in a list of parts',
      { content: [{ type: 'text', text: preview('/p/FAMILY/tool-results/t1.txt') }] },
    ],
    [
      'the record alone',
      { content: 'short', toolUseResult: { persistedOutputPath: '/p/FAMILY/tool-results/t1.txt' } },
    ],
  ])('is named by %s', async (_, named) => {
    const fields = JSON.parse(JSON.stringify(named).replaceAll('FAMILY', FAMILY)) as JsonObject
    const [repo] = await imported({
      ...FILES,
      [`p/${FAMILY}.jsonl`]: sessionFile(...MAIN, returns('r1', 'c1', 't1', fields)),
    })
    await expectFound(repo)
  })

  it('is named by a later record that replaces the result', async () => {
    const replacement = preview(`/p/${FAMILY}/tool-results/t1.txt`)
    const replaced = {
      type: 'content-replacement',
      replacements: [{ kind: 'tool-result', toolUseId: 't1', replacement }],
    }
    const [repo] = await imported({
      ...FILES,
      [`p/${FAMILY}.jsonl`]: sessionFile(...MAIN, returns('r1', 'c1', 't1', { content: 'cut' }), replaced),
    })
    await expectFound(repo)
  })

  it.each([
    '/etc/passwd',
    `/p/${FAMILY}/tool-results/../../other/tool-results/t1.txt`,
    '/p/6d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f/tool-results/t1.txt',
    `/p/${FAMILY}/tool-results/..`,
  ])('is never the file at another path that a transcript names: %s', async (path) => {
    const [repo] = await imported({
      [`p/${FAMILY}.jsonl`]: sessionFile(
        ...MAIN,
        returns('r1', 'c1', 't1', { ...spilled(path), content: 'cut' }),
      ),
      'p/6d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f/tool-results/t1.txt': TEXT,
      'other/tool-results/t1.txt': TEXT,
    })
    expect(await found(repo)).toEqual([])
    expect(await results(repo)).toEqual(['cut'])
  })

  it('is not read through a link', async () => {
    const { [OUTPUT]: text, ...rest } = FILES
    const folder = writeFiles(newFolder(), { ...rest, 'secret.txt': text, [`p/${FAMILY}/x`]: '' })
    writeFiles(folder, { [`${dirname(OUTPUT)}/else.txt`]: '' })
    symlinkSync(join(folder, 'secret.txt'), join(folder, OUTPUT))
    const repo = await openRepo()
    await importPaths(repo, [folder])
    expect(await found(repo)).toEqual([])
  })

  it('goes with its session, and comes back with it', async () => {
    const [repo] = await imported(FILES)
    await removeSessions(repo, [FAMILY])
    expect(await found(repo)).toEqual([])
    await undo(repo, { any: true })
    await expectFound(repo)
  })

  it('stays when the agent has deleted it', async () => {
    const [repo, folder] = await imported(FILES)
    rmSync(join(folder, OUTPUT))
    await importPaths(repo, [folder])
    await expectFound(repo)
  })

  it('is expunged with its entry, and secrets in it by themselves', async () => {
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const [repo] = await imported({ ...FILES, [OUTPUT]: `${'x\n'.repeat(600_000)}${key}\n${TEXT}` })
    expect(await found(repo, key)).toHaveLength(1)
    await expunge(repo, { secrets: [key] })
    expect(await found(repo, key)).toEqual([])
    expect((await results(repo)).join('')).not.toContain(key)
    expect(await found(repo)).toHaveLength(1)
    await expunge(repo, { entries: [await oid(repo)] })
    expect(await found(repo)).toEqual([])
    expect((await results(repo)).join('')).not.toContain('undervoltage')
    expect((await fsck(repo)).ok).toBe(true)
  })

  it('is shown and searched up to a bound', async () => {
    const [repo] = await imported({ ...FILES, [OUTPUT]: `${TEXT}${'y'.repeat(9 << 20)} beyond` })
    expect(await found(repo)).toHaveLength(1)
    expect(await found(repo, 'beyond')).toEqual([])
    expect((await results(repo))[0]).toMatch(/more bytes in '.*t1\.txt'$/)
  })
})

it('is, of oh-my-pi, the artifact that a result names', async () => {
  const id = '01957f00-0000-7000-8000-00000000abcd'
  const time = '2026-03-04T10:00:00.000Z'
  const message = {
    ...{ role: 'toolResult', toolCallId: 't1', toolName: 'bash', isError: false },
    content: [{ type: 'text', text: 'the end' }],
    details: { meta: { truncation: { truncatedBy: 'lines', artifactId: '3' } } },
  }
  const records = [
    { type: 'session', version: 3, id, title: 'Tides', titleSource: 'user', timestamp: time, cwd: '/work' },
    { type: 'message', id: 'r1', parentId: null, timestamp: time, message },
  ]
  const [repo] = await imported({
    's/x.jsonl': records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    's/x/3.bash.log': TEXT,
    's/x/3.other.log': 'another',
  })
  expect(await found(repo)).toEqual([[id, await oid(repo, `${id}:r1`)]])
  expect(await results(repo, `${id}:r1`)).toEqual([TEXT])
  expect(await found(repo, 'another')).toEqual([])
})

it('leaves the views of entries without outputs as they are', async () => {
  const [repo] = await imported(FILES)
  const { view } = await show(repo, `${FAMILY}:e1`)
  expect(textOf(view)).toBe('answer e1')
})
