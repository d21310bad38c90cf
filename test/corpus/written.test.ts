import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatNamed } from '../../src/formats/registry.ts'
import { WRITABLE } from '../../src/formats/writable.ts'
import type { Store } from '../../src/index.ts'
import { CORPUS, newStore, noCorpus, SAMPLE, SKIPPED } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'
import { contentOfPath, NAMED, type PathContent } from '../support/spoken.ts'

async function written(
  store: Store,
  session: string,
  format: string,
): Promise<{ path: string; losses: Set<string> }> {
  const out = { path: `${newFolder()}/`, format, branch: 'main' }
  const { path, losses } = await store.exportFile(session, out)
  return { path, losses: new Set(losses.map(({ code }) => code)) }
}

const tableOf = (to: string, named: ReadonlyMap<string, ReadonlyMap<string, number>>): string =>
  [...named]
    .map(
      ([from, counts]) => `${from} -> ${to}: ${[...counts].map(([code, n]) => `${code} ${n}`).join(', ')}\n`,
    )
    .join('')

describe.skipIf(noCorpus)(`real sessions ${SKIPPED}`, { timeout: 1_800_000 }, () => {
  it.each(WRITABLE.filter(({ format }) => format))(
    'written as $name say the same, or the losses name what differs',
    async ({ name, format: reads }) => {
      const store = await newStore()
      const { files } = await store.import(
        SAMPLE.map((file) => join(CORPUS, file)),
        { all: true },
      )
      const wrong: unknown[] = []
      /** By format that sessions came in: which losses were named, and of how many sessions. */
      const named = new Map<string, Map<string, number>>()
      for (const { session, path: source, format } of files) {
        const told = await store.session(session)
        if ((await told.tip()) === null || !(await told.branches()).some((b) => b.name === 'main')) continue
        const { path, losses } = await written(store, session, name)
        const counts = named.get(format) ?? new Map<string, number>()
        named.set(format, counts)
        for (const code of ['sessions', ...losses]) counts.set(code, (counts.get(code) ?? 0) + 1)
        const other = await newStore()
        const [again] = (await other.import(path)).files
        const before = await contentOfPath(store, session)
        const after: PathContent =
          again && again.entries > 0
            ? await contentOfPath(other, again.session)
            : { text: [], call: [], result: [], order: [] }
        for (const kind of ['text', 'call', 'result', 'order'] as const) {
          if (NAMED[kind].some((code) => losses.has(code))) continue
          const at = Array.from({ length: Math.max(before[kind].length, after[kind].length) }).findIndex(
            (_, i) => before[kind][i] !== after[kind][i],
          )
          if (at >= 0)
            wrong.push([
              relative(CORPUS, source),
              again?.format,
              kind,
              at,
              before[kind][at],
              after[kind][at],
              [...losses],
            ])
        }
        // Only its place tells which agent of a dialect wrote a file.
        const dialect = formatNamed(again?.format ?? '')?.dialect
        if (after.order.length > 0 && dialect !== reads?.dialect)
          wrong.push([relative(CORPUS, source), again?.format])
      }
      if (process.env.SESS_CORPUS === 'all') process.stderr.write(tableOf(name, named))
      expect(wrong).toEqual([])
    },
  )
})
