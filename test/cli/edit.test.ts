import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

async function imported(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions')
  return shell
}

it('follows a plan onto a new branch', async () => {
  const shell = await imported()
  const plan = 'pick 98c5e71a\nreword 044940b6\n> Test the night when\n> the clocks change.\n'
  expect(
    [
      await shell.type('sess edit 3b1f~4 --print-plan'),
      await shell.type('sess edit -n 3b1f~4 --plan -', { stdin: [plan] }),
      await shell.type('sess edit 3b1f~4 --plan - --branch short', { stdin: [plan] }),
      await shell.type('sess log 3b1f/short -n 3'),
      await shell.type('sess show 3b1f/short~1'),
      await shell.type('sess edit 3b1f~4 --plan -', { stdin: ['pick c152\npick 98c5e71a\n'] }),
      await shell.type('sess edit main~4 --session 3b1f --plan - --move --json', { stdin: ['pick 98c5\n'] }),
      await shell.type('sess undo'),
      await shell.type('sess branch 3b1f'),
      await shell.type('sess edit 3b1f~4 --plan -', { stdin: ['# nothing\n'] }),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess edit 3b1f~4 --print-plan
    pick 044940b6dd  # user       Add a test for the night when the clocks change.
    pick c15253199e  # assistant  → Write /home/ada/tides/test/clock.test.js test('03:00 follows 01:59',…
    pick 6b65079442  # tool       ← File created successfully at: /home/ada/tides/test/clock.test.js
    pick 98c5e71acd  # assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fail…

    # One step per line: a command and the oid of an entry. Entries are written in the order of the lines.
    #   pick    keep the entry     reword  replace its text by the lines that follow, each after >
    #   drop    remove the entry   squash  add its text to the entry in the line before
    # An entry without a line is removed. A tool call and its results are removed or kept together.
    # Without any step, nothing changes.
    $ sess edit -n 3b1f~4 --plan -
    would create 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/edit-61a77b67: 61a77b6743 (from 98c5e71acd), 2 entries rewritten
      98c5e71acd -> c760d213e6
      044940b6dd -> 61a77b6743
      c15253199e dropped
      6b65079442 dropped
    tokens: 160 -> 82 (78 fewer, estimated)
    ! dry run: nothing was written
    $ sess edit 3b1f~4 --plan - --branch short
    Created 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/short: 61a77b6743 (from 98c5e71acd), 2 entries rewritten
      98c5e71acd -> c760d213e6
      044940b6dd -> 61a77b6743
      c15253199e dropped
      6b65079442 dropped
    tokens: 160 -> 82 (78 fewer, estimated)
    ! go there with: sess switch 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/short
    ! go back with: sess undo
    $ sess log 3b1f/short -n 3
    61a77b6743  2026-05-01 12:03  user       (short) Test the night when
    c760d213e6  2026-05-01 12:03  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    8d9c0e3aab  2026-03-30 09:20  user       This session is continued from one that ran out of context…
    $ sess show 3b1f/short~1
    entry    c760d213e624d6a5bc5f859b02b2f00a2abc18b4a8c9336f3df376694140bc75
    parent   8d9c0e3aab
    role     assistant  claude/assistant
    time     2026-05-01 12:03
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    git      main
    from     98c5e71acd of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by edit
    model    claude-sonnet-4-5

    Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with the old \`clock\`.

    before   8d9c0e3aab  user  This session is continued from one that ran out of context. The tide tab…
    after    61a77b6743  user  Test the night when
    $ sess edit 3b1f~4 --plan -
    Created 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/edit-c760d213: c760d213e6 (from 98c5e71acd), 1 entry rewritten
      98c5e71acd -> c760d213e6
      044940b6dd dropped
      6b65079442 dropped
      c15253199e dropped too, with its tool call or result
    tokens: 160 -> 72 (88 fewer, estimated)
    ! go there with: sess switch 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/edit-c760d213
    ! go back with: sess undo
    $ sess edit main~4 --session 3b1f --plan - --move --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","branch":"main","before":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","tip":"c760d213e624d6a5bc5f859b02b2f00a2abc18b4a8c9336f3df376694140bc75","map":[{"from":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","to":"c760d213e624d6a5bc5f859b02b2f00a2abc18b4a8c9336f3df376694140bc75"}],"lost":[],"dropped":["044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d","c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4","6b65079442994a9a7771eb6b6b0e55d3cde436016a44d77499b96900e6feb3e7"],"along":[],"lifted":[],"change":"edited","tokens":{"before":160,"after":72}}
    $ sess undo
    Undid operation 4 (2026-05-01 12:07, 1 minute ago): sess edit main~4 --session 3b1f --plan - --move --json
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  4 records -> 3 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  c760d213e6 -> 98c5e71acd
    ! redo it with: sess redo
    $ sess branch 3b1f
      at-1d9fca05    eeb9681aa7
      edit-c760d213  c760d213e6
    * main           98c5e71acd
      short          61a77b6743
    $ sess edit 3b1f~4 --plan -
    The plan changes nothing
    "
  `)
})

it('opens a plan in the editor, in a file that only the user may read', async () => {
  const shell = await imported()
  let seen: unknown
  const edit = (command: readonly string[]): Promise<number> => {
    const path = command.at(-1) as string
    seen = { command: command.slice(0, -1), mode: statSync(path).mode & 0o777 }
    writeFileSync(path, readFileSync(path, 'utf8').replace('pick 98c5e71acd', 'drop 98c5e71acd'))
    return Promise.resolve(0)
  }
  const variables = { VISUAL: "code --wait 'a b'", EDITOR: 'vi' }
  expect(await shell.type('sess edit 3b1f~4', { variables, edit })).toMatchInlineSnapshot(`
    "$ sess edit 3b1f~4
    Created 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/edit-6b650794: 6b65079442 (from 98c5e71acd), 0 entries rewritten
      98c5e71acd dropped
    tokens: 160 -> 136 (24 fewer, estimated)
    ! go there with: sess switch 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/edit-6b650794
    ! go back with: sess undo
    "
  `)
  expect(seen).toEqual({ command: ['code', '--wait', 'a b'], mode: 0o600 })
  expect(readdirSync(shell.path('.local', 'share', 'sess')).filter((name) => name.includes('plan'))).toEqual(
    [],
  )
})

it('says what is wrong with a plan, and where', async () => {
  const shell = await imported()
  expect(
    [
      await shell.type('sess edit 3b1f~4'),
      await shell.type('sess edit 3b1f~4', { variables: { EDITOR: 'none' } }),
      await shell.type('sess edit 3b1f~4', { variables: { EDITOR: 'vi' }, edit: () => Promise.resolve(1) }),
      await shell.type('sess edit 3b1f~4 --plan nowhere.txt'),
      await shell.type('sess edit 3b1f~4 --plan -', { stdin: ['pick 98c5e71a\npik 044940b6  # words\n'] }),
      await shell.type('sess edit 3b1f~4 --plan -', { stdin: ['pick 509744c0\n'] }),
      await shell.type('sess edit 3b1f...c7d0 --print-plan'),
      await shell.type('sess edit 509744c0 --print-plan'),
      await shell.type('sess edit 3b1f~4 --plan - --branch main', { stdin: ['pick 98c5\n'] }),
      await shell.type('sess edit 3b1f~4 --plan - --branch a --move'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess edit 3b1f~4
    ! sess: the editor '$EDITOR' wrote no plan (it is not set)
    ! hint: set VISUAL or EDITOR to your editor, or give a plan with --plan FILE; nothing was changed
    exit 1
    $ sess edit 3b1f~4
    ! sess: the editor 'none' wrote no plan (it could not be started)
    ! hint: set VISUAL or EDITOR to your editor, or give a plan with --plan FILE; nothing was changed
    exit 1
    $ sess edit 3b1f~4
    ! sess: the editor 'vi' wrote no plan (it ended with 1)
    ! hint: set VISUAL or EDITOR to your editor, or give a plan with --plan FILE; nothing was changed
    exit 1
    $ sess edit 3b1f~4 --plan nowhere.txt
    ! sess: '/home/ada/nowhere.txt' could not be read
    ! hint: check the file; nothing was changed
    exit 1
    $ sess edit 3b1f~4 --plan -
    ! sess: cannot follow the plan: line 2: 'pik' is none of pick, drop, reword, squash
    !   | pik 044940b6  # words
    !   | ^^^
    ! hint: did you mean 'pick'? correct it and repeat the command; 'sess edit --print-plan' prints a valid plan
    exit 2
    $ sess edit 3b1f~4 --plan -
    ! sess: cannot follow the plan: line 1: '509744c0' is none of the entries that are edited
    ! hint: correct it and repeat the command; 'sess edit --print-plan' prints a valid plan
    exit 2
    $ sess edit 3b1f...c7d0 --print-plan
    ! sess: '3b1f...c7d0' names entries of two sides
    ! hint: use two dots: A..B is what B has and A has not
    exit 2
    $ sess edit 509744c0 --print-plan
    ! sess: '509744c0' names an entry and no session
    ! hint: name it through its session: SESSION/BRANCH, SESSION~2
    exit 2
    $ sess edit 3b1f~4 --plan - --branch main
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main' exists already
    ! hint: choose another name; nothing was changed
    exit 1
    $ sess edit 3b1f~4 --plan - --branch a --move
    ! sess: '--branch' and '--move' exclude each other
    ! hint: type 'sess help edit' to see how it is used
    exit 2
    "
  `)
})

it('falls back to vi, and to nano where there is none, on a terminal', async () => {
  const shell = await imported()
  const tried: string[] = []
  const edit = (command: readonly string[]): Promise<number | undefined> => {
    tried.push(command[0] ?? '')
    return Promise.resolve(command[0] === 'nano' ? 0 : undefined)
  }
  const terminal = true
  expect(await shell.run('sess edit 3b1f~4', { terminal, edit })).toMatchObject({ code: 0 })
  expect(tried).toEqual(['vi', 'nano'])
  for (const setting of [{ edit }, { terminal, edit, variables: { TERM: 'dumb' } }])
    expect(await shell.run('sess edit 3b1f~4', setting)).toMatchObject({ code: 1 })
  expect(tried).toHaveLength(2)
  const { code, stderr } = await shell.run('sess edit 3b1f~4', { terminal })
  expect([code, stderr]).toEqual([1, expect.stringContaining("the editor 'vi' and 'nano'")])
})
