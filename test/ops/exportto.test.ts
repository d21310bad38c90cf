import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../src/index.ts'
import { stored, session as told, user } from '../formats/opencode/session.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

async function talk(): Promise<{ store: Store; id: string; dir: string }> {
  const dir = newFolder()
  const store = await openStore(join(dir, 'store'), { create: true, cwd: dir })
  const session = await store.createSession({ title: 'Kites' })
  await session.append({ body: { role: 'user', content: 'Which wind?' } })
  return { store, id: session.id, dir }
}

describe('a session that the library writes to a file', () => {
  it('is new there, or takes the place of a file where that is forced', async () => {
    const { store, id, dir } = await talk()
    const first = await store.exportFile(id, { path: 'a.jsonl', format: 'rollouts' })
    expect(first).toMatchObject({ session: id, format: 'rollouts', remembered: true, replaced: null })
    expect([first.path, first.losses]).toEqual([join(dir, 'a.jsonl'), [{ code: 'title', subject: 'Kites' }]])
    await expectFailure('exists', () => store.exportFile(id, { path: 'a.jsonl', format: 'rollouts' }))
    const again = await store.exportFile(id, { path: 'a.jsonl', format: 'rollouts', force: true })
    expect(again.replaced).toBe(first.bytes)
    await store.close()
  })

  it('goes into a folder under the name that its agent gives it', async () => {
    const { store, id, dir } = await talk()
    mkdirSync(join(dir, 'there'))
    const { path } = await store.exportFile(id, { path: 'there', format: 'dash' })
    expect(path).toMatch(/\/there\/[\dTZ-]+_sess_[0-9a-f]{8}\.jsonl$/)
    const made = await store.exportFile(id, { path: 'made/', format: 'dash' })
    expect(existsSync(made.path)).toBe(true)
    await store.close()
  })

  it('is all files of a folder that it came from', async () => {
    const { store, dir } = await talk()
    const root = stored(told([user('msg_1', 0, 'look')]))
    const { files } = await store.import(root)
    const { files: count } = await store.exportFile(files[0]?.session ?? '', { path: 'back' })
    expect(count).toBe(3)
    for (const file of ['session/prj/ses_1.json', 'message/ses_1/msg_1.json', 'part/msg_1/prt_msg_1_0.json'])
      expect(readFileSync(join(dir, 'back', file))).toEqual(readFileSync(join(root, file)))
    await expectFailure('bad-usage', () =>
      store.exportFile(files[0]?.session ?? '', { path: 'other', force: true }),
    )
    await store.close()
  })

  it('is where its agent looks, with what lets that take it and go on, and never twice', async () => {
    const { store, id, dir } = await talk()
    const machine = { home: dir, variables: {} }
    const away = await store.exportFile(id, { toAgent: true, format: 'opencode', ...machine })
    expect(away.take).toEqual(['opencode', 'import', away.path])
    expect(away.command).toEqual(['opencode', '--session', away.id])
    expect(away.path).toBe(join(dir, '.local/share/opencode/import', `${away.id}.json`))
    await expectFailure('exists', () =>
      store.exportFile(id, { toAgent: true, format: 'opencode', ...machine }),
    )
    expect(await store.resume(id, machine)).toMatchObject({ take: away.take, command: away.command })
    await expectFailure('no-agent', () => store.exportFile(id, { toAgent: true, format: 'dash', ...machine }))
    await store.close()
  })
})

it('follows what is named, and says so where its folder is not there', async () => {
  const { store } = await talk()
  expect(() => store.watch({ paths: ['no/such/file'], signal: new AbortController().signal })).toThrow(
    'no/such',
  )
  expect(() => store.discover({ agent: 'nobody' })).toThrow('nobody')
  await store.close()
})
