import { expect, it } from 'vitest'
import { createSession } from '../../src/ops/append.ts'
import { fsck } from '../../src/ops/fsck.ts'
import { Growth } from '../../src/ops/growth.ts'
import { RecordFinder, valueAt } from '../../src/repo/records.ts'
import { getSession, logsOf } from '../../src/repo/session.ts'
import { expectFailure } from '../support/errors.ts'
import { BEGIN, openRepo } from '../support/store.ts'

it('adds entries wherever they hang, each with what its record keeps besides', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const rows = await repo.write({}, async (change) => {
    const growth = await Growth.begin(repo, change, id)
    const type = 'sess/message'
    const root = await growth.add({ type, body: { role: 'user', content: 'a' }, parents: [] })
    const body = { message: { role: 'user', content: 'b' } }
    const value = { type: 'message', id: 'n1', ...body }
    const parents = [root.row]
    const said = await growth.add({ type: 'pi/message', body, parents, native: 'n1', time: BEGIN, value })
    const links = { target: root.row }
    const at = ['body']
    const edit = { replacement: null }
    const from = { body: edit, from: 'elsewhere' }
    const other = await growth.add({ type: 'sess/edit', body: edit, parents, links, value: from, at })
    growth.end()
    return [root.row, said.row, other.row] as const
  })
  const [root, said, other] = rows
  await repo.read(async (backend) => {
    const session = await getSession(backend, id)
    expect(session.native).toMatchObject({ count: 3, entries: 3, summary: { prompts: 2 } })
    expect(session.meta.prompt).toBe('a')
    const finder = new RecordFinder(backend, logsOf(session))
    const [third, second, first] = [
      await finder.find(other),
      await finder.find(said),
      await finder.find(root),
    ]
    expect(second).toMatchObject({ native: 'n1', time: BEGIN })
    expect(await valueAt(backend, second!)).toEqual({
      type: 'message',
      id: 'n1',
      message: { role: 'user', content: 'b' },
    })
    expect(await valueAt(backend, third!)).toEqual({ body: { replacement: null }, from: 'elsewhere' })
    expect(await valueAt(backend, first!)).toBeUndefined()
    expect((await backend.node(other)).links).toEqual({ target: root })
    await finder.close()
  })
  expect((await fsck(repo)).findings).toEqual([])
  await expectFailure('no-session', () => repo.write({}, (change) => Growth.begin(repo, change, 'none')))
})
