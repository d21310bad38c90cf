import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { Imported } from '../../../src/index.ts'
import { sampled } from '../../support/amount.ts'
import { exported, newStore } from '../../support/corpus.ts'
import { newFolder } from '../../support/folder.ts'
import { Random } from '../../support/random.ts'

const line = (uuid: string, sessionId = 's'): string =>
  `${JSON.stringify({ type: 'user', uuid, parentUuid: null, sessionId, message: { role: 'user', content: uuid } })}\n`

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

it('keeps a file with its session where another session begins the same', async () => {
  const [store, folder] = [await newStore(), newFolder()]
  const take = async (path: string): Promise<Imported> => (await store.import(path)).files[0] as Imported
  const early = write(join(folder, 'early.jsonl'), line('a'))
  const one = write(join(folder, 'one.jsonl'), line('a') + line('b'))
  const other = write(join(folder, 'other.jsonl'), line('a') + line('c'))
  const sessions = [(await take(early)).session, (await take(one)).session, (await take(other)).session]
  expect(sessions).toEqual(['s', 's', expect.stringMatching(/^s-[0-9a-f]{8}$/)])
  expect(await take(early)).toMatchObject({ session: 's', contained: true, newObjects: 0 })
  appendFileSync(other, line('d'))
  expect(await take(other)).toMatchObject({ session: sessions[2], newEntries: 1 })
})

it('finds the sessions of an id that is taken, also where an import asks for many', async () => {
  const [store, folder] = [await newStore(), newFolder()]
  const ids = Array.from({ length: 20 }, (_, i) => `s${i}`)
  for (const id of ids) {
    write(join(folder, 'one', `${id}.jsonl`), line('a', id) + line(`b-${id}`, id))
    write(join(folder, 'other', `${id}.jsonl`), line('a', id) + line(`c-${id}`, id))
  }
  const { files } = await store.import(join(folder, 'one'))
  const others = (await store.import(join(folder, 'other'))).files
  expect(files.map(({ session }) => session).sort()).toEqual([...ids].sort())
  expect(others.every(({ session }) => /^s\d+-[0-9a-f]{8}$/.test(session))).toBe(true)
  const grown = others.map(({ path }) => {
    const [name, id] = [basename(path), basename(path, '.jsonl')]
    return write(join(folder, 'moved', name), line('a', id) + line(`c-${id}`, id) + line(`d-${id}`, id))
  })
  const again = (await store.import(grown)).files
  expect(again.map(({ session }) => session)).toEqual(others.map(({ session }) => session))
  expect(again.map(({ newEntries }) => newEntries)).toEqual(ids.map(() => 1))
})

it('knows a session again whatever its id', async () => {
  const [store, folder] = [await newStore(), newFolder()]
  const ids = ['@', '\\ud800', '..', 'a/b', '%', 'x'.repeat(5000), 'a b', '\\n', 'HEAD', 'é']
  const paths = ids.map((id, i) => write(join(folder, `${i}.jsonl`), line(`u${i}`, '<>').replace('<>', id)))
  const first = (await store.import(folder)).files
  expect(first.map((file) => file.session.length <= 200 && file.session.isWellFormed())).toEqual(
    ids.map(() => true),
  )
  expect(new Set(first.map((file) => file.session)).size).toBe(ids.length)
  for (const [i, path] of paths.entries()) {
    appendFileSync(path, line(`v${i}`, '<>').replace('<>', ids[i] as string))
    const [grown] = (await store.import(path)).files
    expect(grown).toMatchObject({ session: first[i]?.session, newEntries: 1, entries: 2 })
    expect(await exported(store, grown?.session ?? '')).toHaveLength(grown?.bytes as number)
  }
})

it('takes a document anew that grew: what is appended changes what came before', async () => {
  const [store, folder] = [await newStore(), newFolder()]
  const path = write(join(folder, 'chat.json'), '[{"role":"user","content":"a"}]')
  const old = new Date('2026-01-01')
  utimesSync(path, old, old)
  const [first] = (await store.import(path)).files
  appendFileSync(path, '\n[]')
  const [second] = (await store.import(path)).files
  expect([first?.entries, second?.entries]).toEqual([1, 0])
  expect(second?.session).toBe(first?.session)
  expect((await exported(store, second?.session ?? '')).toString()).toBe(
    '[{"role":"user","content":"a"}]\n[]',
  )
  expect((await store.fsck()).findings).toEqual([])
})

it('reads what it holds already as it was read then, and makes nothing of it', async () => {
  const [store, folder] = [await newStore(), newFolder()]
  const head = '{"role":"user","content":"this line alone is of no known agent"}\n'
  const path = write(join(folder, 's.jsonl'), head + line('a'))
  const [whole] = (await store.import(path)).files
  write(path, head)
  const [part] = (await store.import(path)).files
  expect(part).toMatchObject({ session: 's', format: 'claude-code', contained: true, newObjects: 0 })
  expect([whole?.entries, part?.entries, (await store.stats()).entries]).toEqual([1, 0, 1])
})

it('goes on with the session of a file that its agent writes anew, from the first change on', async () => {
  const [store, folder] = [await newStore(), newFolder()]
  const thread = (v: number, ...texts: readonly string[]): string => {
    const messages = texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] }))
    return JSON.stringify({ v, id: 'T-1', messages })
  }
  const path = join(folder, 'T-1.json')
  const take = async (text: string): Promise<Imported> =>
    (await store.import(write(path, text))).files[0] as Imported
  const texts = async (): Promise<(string | null)[]> => {
    const found: (string | null)[] = []
    for await (const { text } of store.log('T-1', { all: true })) found.push(text)
    return found
  }
  expect(await take(thread(1, 'a', 'b'))).toMatchObject({ session: 'T-1', entries: 2, newEntries: 2 })
  expect(await take(thread(2, 'a', 'b', 'c'))).toMatchObject({ session: 'T-1', entries: 3, newEntries: 1 })
  expect(await take(thread(3, 'a', 'x'))).toMatchObject({ session: 'T-1', entries: 2, newEntries: 1 })
  expect(await texts()).toEqual(['x', 'a'])
  expect((await exported(store, 'T-1')).toString()).toBe(thread(3, 'a', 'x'))
  const copy = write(join(folder, 'copy', 'T-1.json'), thread(4, 'a', 'y'))
  expect((await store.import(copy)).files[0]?.session).toMatch(/^T-1-[0-9a-f]{8}$/)
  expect((await store.fsck()).findings).toEqual([])
  await store.undo()
  await store.undo()
  expect(await texts()).toEqual(['c', 'b', 'a'])
})

/** Writes files of one session id that share beginnings, some shorter and some longer than what is compared at first. */
function filesOfOneId(random: Random, folder: string): string[] {
  const grown = ['']
  return Array.from({ length: 12 }, (_, i) => {
    let text = random.pick(grown)
    for (let lines = random.below(3); lines >= 0; lines--)
      text += line(`${random.below(3)}${'x'.repeat(random.pick([0, 400, 2000]))}`)
    grown.push(text)
    return write(join(folder, `${i}.jsonl`), text)
  })
}

const seeds = sampled(
  Array.from({ length: 48 }, (_, seed) => seed),
  2,
)

it.each(seeds)('files of one id give back their bytes, imported together (seed %i)', async (seed) => {
  const random = new Random(seed)
  const [store, folder] = [await newStore(), newFolder()]
  const paths = filesOfOneId(random, folder)
  for (const round of [1, 2]) {
    const { files, refused } = await store.import(paths)
    expect(refused).toEqual([])
    expect(files.map(({ path }) => path)).toEqual(paths)
    for (const { path, session } of files) {
      const bytes = readFileSync(path)
      expect((await exported(store, session)).subarray(0, bytes.length), `${path} in round ${round}`).toEqual(
        bytes,
      )
    }
    for (const path of paths) if (random.once(2)) appendFileSync(path, line(`new ${random.below(3)}`))
  }
  expect((await store.fsck()).findings).toEqual([])
})
