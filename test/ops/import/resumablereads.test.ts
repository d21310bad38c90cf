import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { claude } from '../../../src/formats/claude-code/index.ts'
import { jsonLines } from '../../../src/formats/core/jsonlines.ts'
import { logId, partsOfLogId } from '../../../src/model/record.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { ResumableReads } from '../../../src/ops/import/resumablereads.ts'
import { undo } from '../../../src/ops/undo.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession, type SourceHead } from '../../../src/repo/session.ts'
import { newFolder } from '../../support/folder.ts'
import { Random } from '../../support/random.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

const SESSIONS = fileURLToPath(new URL('../../demo/sessions', import.meta.url))
const FILES = readdirSync(SESSIONS, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.jsonl'),
)

const sourceOf = (repo: Repo, session: string): Promise<SourceHead | undefined> =>
  repo.read(async (reader) => (await getSession(reader, session)).source)

/** Imports a file at each of some lengths, and gives what the store has of it at last. */
async function grown(path: string, bytes: Buffer, lengths: readonly number[]): Promise<unknown> {
  const repo = await openRepo()
  const following = new ResumableReads()
  writeFileSync(path, '')
  let [at, session] = [0, '']
  for (const length of lengths) {
    appendFileSync(path, bytes.subarray(at, length))
    at = length
    session = (await importPaths(repo, [path], { following })).files[0]?.session ?? ''
  }
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, session)) pieces.push(piece)
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
  const { log: _log, tail: _tail, ...source } = (await sourceOf(repo, session)) as SourceHead
  return { ...source, findings: (await fsck(repo)).findings }
}

it.each(FILES)('%s read on where it ended is what is read at once', async (file) => {
  const bytes = readFileSync(join(SESSIONS, file))
  const path = join(newFolder(), file.replace(/.*[\\/]/, ''))
  const random = new Random(bytes.length)
  const cuts = Array.from({ length: 12 }, () => random.below(bytes.length)).sort((a, b) => a - b)
  const once = await grown(path, bytes, [bytes.length])
  expect(await grown(path, bytes, [...cuts, bytes.length])).toEqual(once)
})

const LINES = claudeLines('s1', asked('u1', null), answered('a1', 'u1'), asked('u2', 'a1'))

it('holds what was read while the store has it so, and forgets it once it was asked for', async () => {
  const repo = await openRepo()
  const following = new ResumableReads()
  const path = join(newFolder(), 's1.jsonl')
  writeFileSync(path, LINES.slice(0, 2).join(''))
  await importPaths(repo, [path], { following })
  const before = (await sourceOf(repo, 's1')) as SourceHead
  appendFileSync(path, LINES[2]!)
  await importPaths(repo, [path], { following })
  const source = (await sourceOf(repo, 's1')) as SourceHead
  expect([before.count, source.count, source.log]).toEqual([2, 3, before.log])
  expect(following.take(path, claude, source)?.ingester.records).toBe(3)
  expect(following.take(path, claude, source)).toBe(undefined)
})

it('begins anew where the log was undone, or the file is another one', async () => {
  const repo = await openRepo()
  const following = new ResumableReads()
  const path = join(newFolder(), 's1.jsonl')
  writeFileSync(path, LINES.slice(0, 2).join(''))
  await importPaths(repo, [path], { following })
  const [writer, number] = partsOfLogId(((await sourceOf(repo, 's1')) as SourceHead).log)
  appendFileSync(path, LINES[2]!)
  await importPaths(repo, [path], { following })
  await undo(repo, { any: true })
  await importPaths(repo, [path], { following })
  expect(await sourceOf(repo, 's1')).toMatchObject({ count: 3, log: logId(writer, number + 1) })
  writeFileSync(path, claudeLines('s2', asked('x1', null)).join(''))
  const { files } = await importPaths(repo, [path], { following })
  expect(files).toMatchObject([{ session: 's2', records: 1, newEntries: 1 }])
  expect((await fsck(repo)).findings).toEqual([])
})

it('holds at most 16 files, and none of an import that failed', async () => {
  const repo = await openRepo()
  const following = new ResumableReads()
  const folder = newFolder()
  const paths = Array.from({ length: 17 }, (_, i) => join(folder, `${i}.jsonl`))
  for (const [i, path] of paths.entries())
    writeFileSync(path, claudeLines(`s${i}`, asked(`u${i}`, null)).join(''))
  await importPaths(repo, paths, { following })
  const held = async (at: number): Promise<boolean> =>
    following.take(paths[at]!, claude, (await sourceOf(repo, `s${at}`)) as SourceHead) !== undefined
  expect([await held(0), await held(1)]).toEqual([false, true])
  following.forget()
  expect(await held(2)).toBe(false)
})

it('a splitter of lines that was ended goes on with what is pushed then', () => {
  const text = Buffer.from('{"a":1}\n{"b":"ü"}x{"c":3}\nnot json\n[1,2]\r\n{"d":')
  const valuesOf = (cuts: readonly number[]): unknown[] => {
    const splitter = jsonLines()
    const units = [...cuts, text.length].flatMap((to, i) => [
      ...splitter.push(text.subarray(cuts[i - 1] ?? 0, to)),
      ...splitter.end().units,
    ])
    return units.map(({ line, bytes, lead, value }) => [line, Buffer.from(bytes).toString(), lead, value])
  }
  const once = valuesOf([])
  for (let cut = 0; cut < text.length; cut++) expect(valuesOf([cut])).toEqual(once)
})
