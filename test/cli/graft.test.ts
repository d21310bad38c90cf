import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'
import { answered, asked, claudeLine, claudeLines } from '../support/transcripts.ts'

const id = (n: number): string => `${n}`.padStart(8, '0').concat('-0000-4000-8000-000000000000')

const FIRST = claudeLines(
  'first',
  asked(id(1), null, 'When is the tide?'),
  answered(id(2), id(1), 'At noon.'),
)
const SECOND = [asked(id(3), id(2), 'And now?'), answered(id(4), id(3), 'At one.')].map((record, i) =>
  claudeLine('second', 10 + i, record),
)

//  first   When is the tide? ── At noon.
//                                   ┆
//  second                           And now? ── At one.
it('joins a conversation that was cut in two, and takes that back', async () => {
  const shell = new Shell()
  writeFileSync(shell.path('second.jsonl'), SECOND.join(''))
  writeFileSync(shell.path('first.jsonl'), FIRST.join('').replaceAll('/work', '/elsewhere'))
  await shell.run('sess import first.jsonl')
  expect(await shell.type('sess import second.jsonl')).toMatchInlineSnapshot(`
    "$ sess import second.jsonl
    second.jsonl
      claude-code session second: 2 entries in 2 records, all new
      line 1, byte 0: '00000003-0000-4000-8000-000000000000' begins a conversation: its parent '00000002-0000-4000-8000-000000000000' is not before it in the file
    1 entry with a parent that no imported session contains
    1 file, 552 bytes, 1 session: 2 entries in 2 records, all new
    ! to look for missing parents in all sessions, type: sess fsck --relink
    "
  `)
  expect(await shell.type('sess fsck')).toMatchInlineSnapshot(`
    "$ sess fsck
    missing parent second: 1 entry with a parent that the source does not contain
    type 'sess fsck --relink' to look for them in all sessions
    all is well: 4 entries, 2 sessions, 4 records, 2 operations
    "
  `)
  expect(await shell.type('sess fsck --relink -n')).toMatchInlineSnapshot(`
    "$ sess fsck --relink -n
    9be219f74f of session second continues d8989b7836 of session first
    all is well: 4 entries, 2 sessions, 4 records, 3 operations
    ! dry run: nothing was written
    "
  `)
  expect(await shell.type('sess fsck --relink')).toMatchInlineSnapshot(`
    "$ sess fsck --relink
    9be219f74f of session second continues d8989b7836 of session first
    all is well: 4 entries, 2 sessions, 4 records, 3 operations
    ! go back with: sess undo
    "
  `)
  expect(await shell.type('sess log second')).toMatchInlineSnapshot(`
    "$ sess log second
    d3b3b07d07  2026-01-01 00:11  assistant  (*main) At one.
    9be219f74f  2026-01-01 00:10  user       (graft) And now?
    d8989b7836  2026-01-01 00:01  assistant  At noon.
    fea61ef66c  2026-01-01 00:00  user       When is the tide?
    "
  `)
  expect(await shell.type('sess tree second --filter all')).toMatchInlineSnapshot(`
    "$ sess tree second --filter all
    @  d3b3b07d [main*]  At one.
    ●  9be219f7 [graft]  And now?
    ○  d8989b78  At noon.
    ●  fea61ef6  When is the tide?
    "
  `)
  expect(await shell.type('sess show second~1')).toMatchInlineSnapshot(`
    "$ sess show second~1
    entry    9be219f74f5e9f7bf5aeef66b6e97f41c03650a493c21839fb534deee3c6d1f8
    parent   d8989b7836
    graft    its source lacks that parent, which another session has
    role     user  claude/user
    time     2026-01-01 00:10
    session  second
    native   00000003-0000-4000-8000-000000000000

    And now?

    before   d8989b7836  assistant  At noon.
    after    d3b3b07d07  assistant  At one.
    "
  `)
  expect(await shell.type("sess for-each-ref 'grafts/*'")).toMatchInlineSnapshot(`
    "$ sess for-each-ref 'grafts/*'
    - other	grafts/9be219f74f5e9f7bf5aeef66b6e97f41c03650a493c21839fb534deee3c6d1f8
    "
  `)
  expect(await shell.type('sess merge-base first second')).toMatchInlineSnapshot(`
    "$ sess merge-base first second
    d8989b7836f7b6bdc47eea77c31ad5038bfd57eb344cb2d7cedac4924eb2c6c7
    "
  `)
  expect(await shell.type('sess undo')).toMatchInlineSnapshot(`
    "$ sess undo
    Undid operation 3 (2026-05-01 12:04, 6 minutes ago): sess fsck --relink
      - grafts/9be219f74f5e9f7bf5aeef66b6e97f41c03650a493c21839fb534deee3c6d1f8  was second
      + lacking/00000002-0000-4000-8000-000000000000/9be219f74f5e9f7bf5aeef66b6e97f41c03650a493c21839fb534deee3c6d1f8  second
    ! redo it with: sess redo
    "
  `)
  expect(await shell.type('sess log second')).toMatchInlineSnapshot(`
    "$ sess log second
    d3b3b07d07  2026-01-01 00:11  assistant  (*main) At one.
    9be219f74f  2026-01-01 00:10  user       And now?
    "
  `)
})

it('joins both halves that come in one import', async () => {
  const shell = new Shell()
  writeFileSync(shell.path('second.jsonl'), SECOND.join(''))
  writeFileSync(shell.path('first.jsonl'), FIRST.join(''))
  expect(await shell.type('sess import first.jsonl second.jsonl')).toMatchInlineSnapshot(`
    "$ sess import first.jsonl second.jsonl
    first.jsonl
      claude-code session first: 2 entries in 2 records, all new
    second.jsonl
      claude-code session second: 2 entries in 2 records, all new
      line 1, byte 0: '00000003-0000-4000-8000-000000000000' begins a conversation: its parent '00000002-0000-4000-8000-000000000000' is not before it in the file
    9be219f74f of session second continues d8989b7836 of session first
    2 files, 1.1 kB, 2 sessions: 4 entries in 4 records, all new
    "
  `)
  const { stdout } = await shell.run('sess log second --json')
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { grafted?: boolean })
  expect(entries.map(({ grafted }) => grafted)).toEqual([undefined, true, undefined, undefined])
})

it('joins what was there to its parent when that comes', async () => {
  const shell = new Shell()
  writeFileSync(shell.path('second.jsonl'), SECOND.join(''))
  writeFileSync(shell.path('first.jsonl'), FIRST.join(''))
  await shell.run('sess import second.jsonl')
  expect(await shell.type('sess import first.jsonl')).toMatchInlineSnapshot(`
    "$ sess import first.jsonl
    first.jsonl
      claude-code session first: 2 entries in 2 records, all new
    9be219f74f of session second continues d8989b7836 of session first
    1 file, 526 bytes, 1 session: 2 entries in 2 records, all new
    "
  `)
  expect(await shell.type('sess log second --limit 3')).toMatchInlineSnapshot(`
    "$ sess log second --limit 3
    d3b3b07d07  2026-01-01 00:11  assistant  (*main) At one.
    9be219f74f  2026-01-01 00:10  user       (graft) And now?
    d8989b7836  2026-01-01 00:01  assistant  At noon.
    "
  `)
  expect(await shell.type('sess undo')).toMatchInlineSnapshot(`
    "$ sess undo
    Undid operation 2 (2026-05-01 12:01, 2 minutes ago): sess import first.jsonl
      - session first
      - grafts/9be219f74f5e9f7bf5aeef66b6e97f41c03650a493c21839fb534deee3c6d1f8  was second
      + lacking/00000002-0000-4000-8000-000000000000/9be219f74f5e9f7bf5aeef66b6e97f41c03650a493c21839fb534deee3c6d1f8  second
    ! redo it with: sess redo
    "
  `)
})

it('sends nobody to look again where all sessions were looked through', async () => {
  const shell = new Shell()
  writeFileSync(shell.path('second.jsonl'), SECOND.join(''))
  await shell.run('sess import second.jsonl')
  expect(await shell.type('sess fsck --relink')).toMatchInlineSnapshot(`
    "$ sess fsck --relink
    1 entry with a parent that no imported session contains
    missing parent second: 1 entry with a parent that the source does not contain
    all is well: 2 entries, 1 session, 2 records, 1 operation
    "
  `)
})
