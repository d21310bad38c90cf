import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { bundleContent } from '../../src/sources/bundle.ts'
import { OpenCodeStorage } from '../../src/sources/opencodefiles.ts'
import { Scratch } from '../../src/sources/scratch.ts'
import { newFolder } from '../support/folder.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = newFolder()
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

const STORAGE = {
  'session/p/ses_1.json': '{"id":"ses_1"}',
  'session/p/ses_2.json': '{"id":"ses_2"}',
  'message/ses_1/msg_b.json': '{"id":"b"}',
  'message/ses_1/msg_a.json': '{"id":"msg_a"}',
  'part/msg_a/2.json': '{}\n',
  'part/msg_a/1.json': 'torn',
  'part/b/1.json': '{}',
  'todo/ses_1.json': '[]',
  'message/ses_2/msg_c.json': '{"id":"c"}',
  'part/loose.json': '{"messageID":"c"}',
}

it('returns the files of one session of OpenCode, each message before its parts', () => {
  const root = folderWith(STORAGE)
  const storage = new OpenCodeStorage()
  const filesOf = (file: string) => storage.session(join(root, file))?.files()
  expect(filesOf('session/p/ses_1.json')).toEqual([
    'session/p/ses_1.json',
    'message/ses_1/msg_a.json',
    'part/msg_a/1.json',
    'part/msg_a/2.json',
    'message/ses_1/msg_b.json',
    'part/b/1.json',
    'todo/ses_1.json',
  ])
  expect(filesOf('session/p/ses_2.json')).toEqual([
    'session/p/ses_2.json',
    'message/ses_2/msg_c.json',
    'part/loose.json',
  ])
  expect(filesOf('message/ses_1/msg_a.json')).toBeUndefined()
  expect(storage.holds(join(root, 'part/loose.json'))).toBe(true)
  expect(storage.holds('/elsewhere/message/a/b.json')).toBe(false)
})

it('looks for parts only in the folder, whatever the ids', () => {
  const root = folderWith({
    'in/session/p/s.json': '{"id":"s"}',
    'in/message/s/m.json': '{"id":"../../out"}',
    'out/x.json': '{}',
  })
  const storage = new OpenCodeStorage()
  expect(storage.session(join(root, 'in/session/p/s.json'))?.files()).toEqual([
    'session/p/s.json',
    'message/s/m.json',
  ])
})

it('returns files as one stream, with a header line before each', async () => {
  const root = folderWith({ a: 'one\n', 'b/c': 'two' })
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  const content = bundleContent({ path: 'x#y', name: 'y', root, files: () => ['a', 'b/c'] }, scratch)
  const { file, size } = await content.open()
  const text = '{"file":"a","bytes":4}\none\n{"file":"b/c","bytes":3}\ntwo'
  expect([readFileSync(file, 'utf8'), size]).toEqual([text, text.length])
  const before = content.stat()
  writeFileSync(join(root, 'b/c'), 'three')
  expect(before.size).toBe(7)
  expect(content.stat()).not.toEqual(before)
  scratch.close()
})
