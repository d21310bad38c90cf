import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { unmatchedIn } from '../../../src/ops/import/unmatchedfiles.ts'
import type { FoundFile } from '../../../src/sources/files.ts'
import { newFolder } from '../../support/folder.ts'
import { asked, claudeLines } from '../../support/transcripts.ts'

it('reports files that hold conversations under names that are not those of sessions, by folder', () => {
  const folder = newFolder()
  const text = claudeLines('s', asked('u', null)).join('')
  const files: Readonly<Record<string, string>> = {
    'a/one.jsonl': text,
    'a/two.jsonl': text,
    'b/unknown.jsonl': '{"role":"user","content":"Fix it."}\n',
    'b/log.jsonl': '{"level":"info"}\n',
    'b/credentials.json': text,
  }
  const found = Object.entries(files).map(([name, content]): FoundFile => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return { path, size: statSync(path).size, mtime: 0, inode: 0 }
  })
  const gone = { path: join(folder, 'gone.jsonl'), size: 1, mtime: 0, inode: 0 }
  const note = 'to import it all the same, name it'
  expect(unmatchedIn([...found, gone])).toEqual([
    { path: join(folder, 'a'), unread: 'unknown', name: "files such as 'one.jsonl'", count: 2, note },
    { path: join(folder, 'b'), unread: 'unknown', name: "file 'unknown.jsonl'", count: 1, note },
  ])
})
