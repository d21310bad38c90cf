import fs, { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RefName } from '../../src/model/refname.ts'
import { type JournalLine, readJournal } from '../../src/storage/journal.ts'
import { appendJournal, JournalWriter } from '../../src/storage/journalwriter.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const lineOf = (commit: number, operation = commit, moved: readonly string[] = ['a']): JournalLine => ({
  operation,
  commit,
  refs: moved.map((name) => [name as RefName, `of ${commit}`]),
})

/** Returns a folder with a journal of one line. */
function folder(): { dir: string; path: string } {
  const dir = newFolder()
  appendJournal(dir, lineOf(1))
  return { dir, path: join(dir, 'refs.journal') }
}

describe('the writer of the journal', () => {
  it('writes lines of one operation as one, in a moment', async () => {
    const { dir, path } = folder()
    const writer = new JournalWriter(dir)
    writer.add(lineOf(2))
    writer.add(lineOf(3, 3, ['a', 'b']))
    writer.add(lineOf(4, 3))
    writer.add(lineOf(5, 3))
    expect(readJournal(dir).lines).toEqual([lineOf(1)])
    while (readJournal(dir).lines.length === 1) await pause(1)
    const [, second, third] = readJournal(dir).lines
    expect(second).toEqual(lineOf(2))
    expect(third).toEqual({
      operation: 3,
      commit: 5,
      commits: 3,
      refs: [
        ['b', 'of 3'],
        ['a', 'of 5'],
      ],
    })
    expect(readJournal(dir)).toMatchObject({ lines: { length: 3 }, damaged: 0, torn: false })
    // Moves that are written together make one line of the file.
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3)
    writer.close()
  })

  it('writes many without a turn of the event loop', () => {
    const { dir } = folder()
    const writer = new JournalWriter(dir)
    for (let commit = 2; commit <= 65; commit++) writer.add(lineOf(commit, 2))
    expect(readJournal(dir).lines).toEqual([lineOf(1), { ...lineOf(65, 2), commits: 64 }])
    writer.close()
  })

  it('takes no late line of a process whose store was taken over', () => {
    const { dir } = folder()
    const writer = new JournalWriter(dir)
    let fenced = false
    writer.opened(() => fenced)
    writer.add(lineOf(2))
    writer.settle()
    writer.add(lineOf(3))
    fenced = true
    writer.close()
    expect(readJournal(dir).lines).toEqual([lineOf(1), lineOf(2)])
  })

  it('takes no line that could not be written before the store was taken over', () => {
    const { dir, path } = folder()
    const writer = new JournalWriter(dir)
    let fenced = false
    writer.opened(() => fenced)
    renameSync(path, `${path}.away`)
    mkdirSync(path)
    writer.add(lineOf(2))
    writer.settle()
    rmdirSync(path)
    renameSync(`${path}.away`, path)
    fenced = true
    writer.opened(() => false)
    writer.check()
    writer.close()
    expect(readJournal(dir).lines).toEqual([lineOf(1)])
  })

  it('is as it was where a line was written in part, and has the line whole once there is room', async () => {
    const { dir, path } = folder()
    const before = readFileSync(path)
    const writer = new JournalWriter(dir)
    const { appendFileSync: appends } = fs
    fs.appendFileSync = (file, text) => {
      appends(file, Buffer.from(text as string).subarray(0, -5))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    }
    syncBuiltinESMExports()
    try {
      writer.add(lineOf(2))
      writer.settle()
      expect(readFileSync(path)).toEqual(before)
      await expectFailure('cannot-write', () => writer.check())
      expect(readFileSync(path)).toEqual(before)
    } finally {
      fs.appendFileSync = appends
      syncBuiltinESMExports()
    }
    writer.add(lineOf(3))
    writer.close()
    expect(readJournal(dir)).toEqual({
      lines: [lineOf(1), lineOf(2), lineOf(3)],
      first: lineOf(1),
      damaged: 0,
      torn: false,
    })
  })
})
