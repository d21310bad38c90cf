import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { SessError } from '../../../src/model/errors.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import { branchRef, labelRef } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { findingAt, type LocatedFinding } from '../../../src/ops/fsck/finding.ts'
import { addImpact, addLastGood } from '../../../src/ops/fsck/impact.ts'
import type { Reader } from '../../../src/repo/reader.ts'
import { openRepo } from '../../support/store.ts'

const says = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ body: { role: 'user', content: `${i}` } }))

/** A reader of which a method is another one. */
const replacing = (reader: Reader, method: keyof Reader, by: unknown): Reader =>
  new Proxy(reader, {
    get: (target, key) => {
      const value: unknown = key === method ? by : Reflect.get(target, key, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })

/** A reader that counts how often one of its methods is called. */
function counting(reader: Reader, method: 'operation' | 'node'): { counted: Reader; calls: () => number } {
  let calls = 0
  const counted = replacing(reader, method, (of: never) => {
    calls++
    return reader[method](of)
  })
  return { counted, calls: () => calls }
}

describe('what is hurt', () => {
  it('reads the operations once for all refs that name what is missing', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const oids = await append(repo, id, says(3))
    const gone = (i: number): Oid => `${i}`.padStart(64, 'a') as Oid
    const refs = Array.from({ length: 40 }, (_, i) => branchRef(id, `b${i}`))
    for (const [i, ref] of refs.entries())
      await repo.write({}, ({ move }) => move(ref, undefined, oids[i % 3]))
    for (const [i, ref] of refs.entries()) await repo.write({}, ({ move }) => move(ref, oids[i % 3], gone(i)))
    const never = branchRef(id, 'never')
    const findings: LocatedFinding[] = [...refs, never].map((ref) =>
      findingAt('missing', ref, 'gone', { refs: [], ref }),
    )
    await repo.read(async (reader) => {
      const { counted, calls } = counting(reader, 'operation')
      await addLastGood(counted, findings)
      expect(calls()).toBe((await reader.operationLog()).latest)
    })
    expect(findings.map(({ lastGood }) => lastGood)).toEqual([...refs.map((_, i) => oids[i % 3]), null])
  })

  it('walks once what paths share, and names all refs that lead over what is broken', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const oids = await append(repo, id, says(200))
    await repo.write({}, ({ move }) => {
      for (let i = 0; i < 200; i++) move(labelRef(id, `l${String(i).padStart(3, '0')}`), undefined, oids[i])
    })
    const labels = (from: number): string[] =>
      Array.from({ length: 200 - from }, (_, i) => `${id}/l${String(from + i).padStart(3, '0')}`)
    const findings: LocatedFinding[] = []
    await repo.read(async (reader) => {
      for (const at of [50, 51, 120]) {
        const handle = (await reader.find(oids[at] as Oid)) as EntryHandle
        findings.push(findingAt('body', 'x', 'broken', { handle }))
      }
      const { counted, calls } = counting(reader, 'node')
      await addImpact(counted, findings)
      // Each of the 200 entries once, and the broken ones again.
      expect(calls()).toBeLessThan(210)
    })
    expect(findings.map(({ refs, lastGood }) => [refs, lastGood])).toEqual([
      [[`${id}/main`, ...labels(50)], oids[49]],
      [[`${id}/main`, ...labels(51)], oids[49]],
      [[`${id}/main`, ...labels(120)], oids[119]],
    ])
  })

  it('goes on where an operation is damaged', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const [oid] = await append(repo, id, says(1))
    const ref = branchRef(id, 'main')
    await repo.write({}, ({ move }) => move(ref, oid, 'ab'.repeat(32) as Oid))
    const findings = [findingAt('missing', 'x', 'gone', { refs: [], ref })]
    await repo.read(async (reader) => {
      const last = (await reader.operationLog()).latest
      await addLastGood(
        replacing(reader, 'operation', (number: number) => {
          if (number === last) throw new SessError('corrupt', 'operation')
          return reader.operation(number)
        }),
        findings,
      )
    })
    expect(findings[0]?.lastGood).toBe(oid)
  })

  it('goes no further than an entry whose parent is stored after it', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const oids = await append(repo, id, says(6))
    const findings: LocatedFinding[] = []
    await repo.read(async (reader) => {
      const handle = (await reader.find(oids[2] as Oid)) as EntryHandle
      findings.push(findingAt('order', 'x', 'behind', { handle }))
      const turned = (of: EntryHandle) => {
        if (of === handle) throw new SessError('corrupt', 'a parent is stored after it')
        return reader.node(of)
      }
      await addImpact(replacing(reader, 'node', turned), findings)
    })
    expect(findings[0]).toMatchObject({ refs: [`${id}/main`], lastGood: null })
  })
})
