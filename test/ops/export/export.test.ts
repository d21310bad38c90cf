import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WRITABLE } from '../../../src/formats/writable.ts'
import type { Awaitable } from '../../../src/model/async.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { SessError } from '../../../src/model/errors.ts'
import type { Json } from '../../../src/model/json.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { sourceBytes } from '../../../src/ops/export/sourcebytes.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { switchTo, switchToRoot } from '../../../src/ops/switch.ts'
import { type Reader, StoreReader } from '../../../src/repo/reader.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { getSession, type SourceHead, tipOf } from '../../../src/repo/session.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'
import { storeOver } from '../../support/storeover.ts'

const says = (content: string): { body: Json } => ({ body: { role: 'user', content } })
const tip = async (repo: Repo, id: string): Promise<Oid | undefined> =>
  tipOf(await repo.read((reader) => getSession(reader, id)))

/** Exports a session, imports that into another store, and gives the lines and where the session stands there. */
async function elsewhere(repo: Repo, id: string): Promise<{ lines: string[]; tip: Oid | undefined }> {
  const pieces: Uint8Array[] = []
  for await (const piece of exportSession(repo, id)) pieces.push(piece)
  const path = join(newFolder(), 'made.jsonl')
  writeFileSync(path, Buffer.concat(pieces))
  const other = await openRepo()
  const { files } = await importPaths(other, [path])
  expect(files.map(({ session, format }) => [session, format])).toEqual([[id, 'sess']])
  const lines = Buffer.concat(pieces)
    .toString()
    .split(/(?<=\n)/)
  return { lines, tip: await tip(other, id) }
}

const heads = (lines: readonly string[]): number[] =>
  lines.flatMap((line, i) => ((JSON.parse(line) as { head?: boolean }).head ? [i] : []))

describe('a session as lines', () => {
  it('says nothing of the head where that is the last entry', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const oids = await append(repo, id, ['1', '2', '3'].map(says))
    const { lines, tip: stands } = await elsewhere(repo, id)
    expect([heads(lines), stands]).toEqual([[], oids[2]])
  })

  it('stands where it stood when it is imported: detached', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const oids = await append(repo, id, ['1', '2', '3'].map(says))
    await switchTo(repo, oids[1] as Oid, id)
    const { lines, tip: stands } = await elsewhere(repo, id)
    expect([heads(lines), stands]).toEqual([[1], oids[1]])
  })

  it('stands where it stood when it is imported: on the branch that was not added to last', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const oids = await append(repo, id, ['1', '2'].map(says))
    await createBranch(repo, id, 'other', oids[0])
    await switchTo(repo, 'other', id)
    await append(repo, id, [says('2b')])
    await switchTo(repo, 'main', id)
    const { lines, tip: stands } = await elsewhere(repo, id)
    expect([heads(lines), stands]).toEqual([[1], oids[1]])
  })

  it('stands before its first entry when it is imported, where it stood there', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    await append(repo, id, ['1', '2'].map(says))
    await switchToRoot(repo, id)
    const { lines, tip: stands } = await elsewhere(repo, id)
    expect([lines.map((line) => line.includes('"head":null')), heads(lines), stands]).toEqual([
      [true, false],
      [],
      undefined,
    ])
  })

  it.each([255, 256, 257, 300])('keeps the oid of a body that is %i deep', async (levels) => {
    const repo = await openRepo()
    const id = await createSession(repo)
    let body: Json = 1
    for (let i = 0; i < levels; i++) body = [body]
    const oid = await (await storeOver(repo).session(id)).append({ type: 'x/deep', body })
    expect((await elsewhere(repo, id)).tip).toBe(oid)
  })
})

/** A reader in which only so many bodies are sound. */
class Damaged extends StoreReader {
  #left: number

  constructor(reader: Reader, sound: number) {
    super(reader)
    this.#left = sound
  }

  override canonicalBody(entry: EntryHandle): Awaitable<Uint8Array> {
    if (this.#left-- === 0) throw new SessError('corrupt', 'a block cannot be unpacked')
    return super.canonicalBody(entry)
  }
}

describe('the bytes of a source', () => {
  it('are given up to damage, which is told then', async () => {
    const lines = [
      '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work"}',
      ...['one', 'two', 'three'].map((text, i) =>
        JSON.stringify({
          type: 'message',
          id: `${i}`,
          parentId: i === 0 ? null : `${i - 1}`,
          timestamp: `2026-01-01T00:00:0${i}.000Z`,
          message: { role: 'user', content: [{ type: 'text', text }], timestamp: i },
        }),
      ),
      'no JSON',
    ].map((line) => `${line}\n`)
    const path = join(newFolder(), 'source.jsonl')
    writeFileSync(path, lines.join(''))
    const repo = await openRepo()
    const { files } = await importPaths(repo, [path])
    const given = async (sound: number): Promise<string> => {
      let text = ''
      await repo.read(async (reader) => {
        const { source } = (await getSession(reader, files[0]?.session as string)) ?? {}
        try {
          for await (const piece of sourceBytes(new Damaged(reader, sound), source as SourceHead))
            text += Buffer.from(piece).toString()
        } catch (error) {
          text += `! ${(error as SessError).code}`
        }
      })
      return text
    }
    expect(await given(99)).toBe(lines.join(''))
    expect(await given(0)).toBe(`${lines[0]?.trimEnd()}! corrupt`)
    // Bytes between two lines belong to the second one.
    expect(await given(1)).toBe(`${lines.slice(0, 2).join('').trimEnd()}! corrupt`)
  })

  it('are the same where pieces are lent, each valid until the next one alone', async () => {
    const spoken = (i: number): string =>
      JSON.stringify({ role: 'user', content: `${i} ${'x'.repeat(1000)}` })
    const lines = Array.from({ length: 1200 }, (_, i) => `${spoken(i)}\n`)
    const path = join(newFolder(), 'source.jsonl')
    writeFileSync(path, lines.join(''))
    const repo = await openRepo()
    const { files } = await importPaths(repo, [path])
    const id = files[0]?.session as string
    const [kept, copied]: Uint8Array[][] = [[], []]
    for await (const piece of exportSession(repo, id)) kept?.push(piece)
    for await (const piece of exportSession(repo, id, { reuse: true })) copied?.push(Buffer.from(piece))
    expect(Buffer.concat(kept ?? []).toString()).toBe(lines.join(''))
    expect(Buffer.concat(copied ?? []).toString()).toBe(lines.join(''))
    expect(copied?.length).toBeGreaterThan(2)
    const first: Uint8Array[] = []
    for await (const piece of exportSession(repo, id, { reuse: true, bytes: 1_000_000 }))
      first.push(Buffer.from(piece))
    expect(Buffer.concat(first).toString()).toBe(lines.join('').slice(0, 1_000_000))
  })
})

describe('a session whose source has no times', () => {
  it.each(WRITABLE.map(({ name }) => name))(
    'is written with the time of its import, not that of 1970, as %s',
    async (format) => {
      const path = join(newFolder(), 'talk.jsonl')
      writeFileSync(path, '{"role":"user","content":"hi"}\n{"role":"assistant","content":"ho"}\n')
      const repo = await openRepo()
      const { files } = await importPaths(repo, [path])
      const id = files[0]?.session ?? ''
      for (const text of [id, (await tip(repo, id)) ?? '']) {
        const pieces: Uint8Array[] = []
        for await (const piece of exportSession(repo, text, { format })) pieces.push(piece)
        expect(Buffer.concat(pieces).toString('latin1')).not.toMatch(
          /1970-01-01|"(?:timestamp|created|time)":\s?0\b/,
        )
      }
    },
  )
})
