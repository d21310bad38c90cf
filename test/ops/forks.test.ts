import { expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { forksOf } from '../../src/ops/forks.ts'
import { listSessions } from '../../src/ops/list.ts'
import { openRepo } from '../support/store.ts'

const says = (...texts: readonly string[]) => texts.map((content) => ({ body: { role: 'user', content } }))

it('says where branches part from the straight path, by entries', async () => {
  const repo = await openRepo()
  const plain = await createSession(repo, {})
  await append(repo, plain, says('a'))
  const id = await createSession(repo, {})
  const [, second] = await append(repo, id, says('a', 'b', 'c', 'd'))
  await createBranch(repo, id, 'side', second)
  await append(repo, id, says('x', 'y', 'z'), { branch: 'side' })
  const rows = [...(await listSessions(repo)).rows()].filter((row) => row.id === id || row.id === plain)
  const found = new Map(rows.map((row, i) => [row.id, i]))
  const forks = await forksOf(repo, rows)
  expect(forks[found.get(plain) as number]).toBeNull()
  expect(forks[found.get(id) as number]).toEqual({
    length: 4,
    forks: [{ branch: 'side', shared: 2, own: 3 }],
  })
})

it('shows some of many branches', async () => {
  const repo = await openRepo()
  const id = await createSession(repo, {})
  const [first] = await append(repo, id, says('a', 'b'))
  for (let i = 0; i < 9; i++) {
    await createBranch(repo, id, `side-${i}`, first)
    await append(repo, id, says(`x${i}`), { branch: `side-${i}` })
  }
  const [forks] = await forksOf(repo, [...(await listSessions(repo)).rows()])
  expect(forks?.forks).toHaveLength(4)
  expect(forks?.forks.every(({ shared, own }) => shared === 1 && own === 1)).toBe(true)
})
