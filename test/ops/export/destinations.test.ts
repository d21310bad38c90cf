import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/index.ts'
import { stored, session as told, user } from '../../formats/opencode/session.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'
import { asked, claudeLines } from '../../support/transcripts.ts'

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
    for (const format of ['uuid-tree', 'pi-v4', 'html'])
      await expectFailure('no-agent', () => store.exportFile(id, { toAgent: true, format, ...machine }))
    await store.close()
  })

  it.each([
    ['home/app', '-app'],
    ['home', '-'],
    ['tmp/deep/er', '-tmp-deep-er'],
    ['tmp', '-tmp'],
    ['linked', '-app'],
    ['nowhere', undefined],
  ])('lies for oh-my-pi in the folder of its folder of work, %s', async (cwd, name) => {
    const { store, dir } = await talk()
    for (const folder of ['home/app', 'tmp/deep/er']) mkdirSync(join(dir, folder), { recursive: true })
    symlinkSync(join(dir, 'home/app'), join(dir, 'linked'))
    const session = await store.createSession({ cwd: join(dir, cwd) })
    await session.append({ body: { role: 'user', content: 'Which wind?' } })
    const machine = { home: join(dir, 'home'), variables: { TMPDIR: join(dir, 'tmp') } }
    const away = await store.exportFile(session, { toAgent: true, format: 'oh-my-pi', ...machine })
    const elsewhere = `--${join(dir, cwd).slice(1).replaceAll('/', '-')}--`
    expect(away.path).toBe(join(dir, 'home/.omp/agent/sessions', name ?? elsewhere, basename(away.path)))
    expect(away.command).toEqual(['omp', '--resume', away.path])
    expect(await store.resume(session.id, machine)).toMatchObject({ path: away.path, command: away.command })
    await store.close()
  })

  it('is written anew under an id that its agent takes, where its own is none', async () => {
    const { store, dir } = await talk()
    writeFileSync(join(dir, 'mine.jsonl'), claudeLines('mine', asked('u1', null, 'Which wind?')).join(''))
    const [file] = (await store.import(join(dir, 'mine.jsonl'))).files
    const machine = { home: join(dir, 'home'), variables: {} }
    const away = await store.exportFile('mine', { toAgent: true, format: 'claude-code', ...machine })
    const text = readFileSync(away.path, 'utf8')
    expect([file?.session, text.includes('mine'), text.includes(away.id)]).toEqual(['mine', false, true])
    expect(await store.resume('mine', machine)).toMatchObject({
      id: away.id,
      path: away.path,
      upToDate: true,
    })
    await store.close()
  })

  it('is gone on with in the shape that is named', async () => {
    const { store, id, dir } = await talk()
    const machine = { home: join(dir, 'home'), variables: {} }
    const document = await store.exportFile(id, { toAgent: true, format: 'opencode', ...machine })
    const files = await store.exportFile(id, { toAgent: true, format: 'opencode-files', ...machine })
    const resumed = async (format: string): Promise<unknown> =>
      (await store.resume(id, { ...machine, format })).command
    expect([await resumed('opencode'), await resumed('opencode-files')]).toEqual([
      expect.arrayContaining(['--session']),
      files.command,
    ])
    expect(document.command).not.toEqual(files.command)
    await expectFailure('no-agent', () => store.resume(id, { ...machine, format: 'opencode-database' }))
    await expectFailure('no-agent', () => store.resume(id, { ...machine, format: 'nothing' }))
    await store.close()
  })

  it('lies for Dash in the project, which must be there, and is opened where no command goes on with it', async () => {
    const { store, id, dir } = await talk()
    const machine = { home: join(dir, 'home'), variables: {} }
    const away = await store.exportFile(id, { toAgent: true, format: 'dash', ...machine })
    expect(away.path).toBe(join(dir, '.godel/sessions', basename(away.path)))
    expect([away.command, away.opens]).toEqual([
      [],
      expect.stringContaining(`SessionTree.open("${away.path}")`),
    ])
    expect(await store.resume(id, machine)).toMatchObject({ path: away.path, command: [], opens: away.opens })
    const session = await store.createSession({ cwd: join(dir, 'gone') })
    await session.append({ body: { role: 'user', content: 'Which wind?' } })
    await expectFailure('no-path', () =>
      store.exportFile(session, { toAgent: true, format: 'dash', ...machine }),
    )
    expect(existsSync(join(dir, 'gone'))).toBe(false)
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
