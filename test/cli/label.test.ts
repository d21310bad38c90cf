import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

async function typed(shell: Shell, ...lines: readonly string[]): Promise<string> {
  const said: string[] = []
  for (const line of lines) said.push(await shell.type(line))
  return said.join('')
}

it('names entries, and shows the names where entries are shown', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    await typed(
      shell,
      'sess label cause 3b1f~12',
      'sess label done --session 3b1f',
      "sess label 'the answer' 3b1f~12",
      'sess label --session 3b1f',
      'sess log 3b1f/done -n 1',
      'sess log 3b1f/cause -n 2',
      'sess branch 3b1f',
      'sess show 3b1f/cause',
      'sess label --all',
      'sess ls --label cause',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess label cause 3b1f~12
    Labelled 8fcd80207e of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 as cause
    $ sess label done --session 3b1f
    Labelled 98c5e71acd of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 as done
    $ sess label 'the answer' 3b1f~12
    Labelled 8fcd80207e of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 as the answer
    $ sess label --session 3b1f
    cause       8fcd80207e  tool       ← src/format.js:1:const OFFSET = 60 // minutes, France
    done        98c5e71acd  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and…
    the answer  8fcd80207e  tool       ← src/format.js:1:const OFFSET = 60 // minutes, France
    $ sess log 3b1f/done -n 1
    98c5e71acd  2026-03-30 09:21  assistant  (*main, label: done) Added \`test/clock.test.js\`: 03:00 fol…
    $ sess log 3b1f/cause -n 2
    8fcd80207e  2026-03-30 09:02  tool       (label: cause, label: the answer) ← src/format.js:1:const…
    9809bbac6b  2026-03-30 09:02  assistant  → Read /home/ada/tides/src/format.js
    $ sess branch 3b1f
      at-1d9fca05  eeb9681aa7
    * main         98c5e71acd  (label: done)
    $ sess show 3b1f/cause
    entry    8fcd80207e3d7c55862c510e02080bdcc70b0d17938707f8e55aba83c6e1be31
    parent   9809bbac6b
    role     tool  claude/user
    time     2026-03-30 09:02
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    label    cause, the answer
    git      main
    native   4a117e4e-51c6-41a6-92da-7e60c6009e26

    → Grep  e051314713
      pattern: OFFSET|getTimezoneOffset
      path: src
    ← result
      src/format.js:1:const OFFSET = 60 // minutes, France
      src/format.js:4:  const local = new Date(time.getTime() + OFFSET * 60_000)

    before   9809bbac6b  assistant  → Read /home/ada/tides/src/format.js
    after    3803a6b79e  tool  ← const OFFSET = 60 // minutes, France
    $ sess label --all
    019d4e07-5b20-7d11-a6c2-93e1f04b7a65/before-cache  b6be4a2836  user       Compute them once a day a…
    3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/cause         8fcd80207e  tool       ← src/format.js:1:const O…
    3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/done          98c5e71acd  assistant  Added \`test/clock.test.js…
    3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/the answer    8fcd80207e  tool       ← src/format.js:1:const O…
    $ sess ls --label cause
    SESSION      UPDATED  ENTRIES  AGENT        PROJECT  BRANCH  TOKENS    COST  TITLE
    3b1f6a20  2026-03-30       22  claude-code  tides        +1    140k  ~$0.12  Tide table one hour off
    "
  `)
})

it('moves a name with -f alone, removes it, and says the way back', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    await typed(
      shell,
      'sess label good 3b1f~2',
      'sess label good 3b1f~2',
      'sess label good 3b1f~4',
      'sess label -f good 3b1f~4',
      'sess label -f --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 good 1a1f03e9f5',
      'sess label -d good --session 3b1f',
      'sess label -d good --session 3b1f',
      'sess label --session 3b1f',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess label good 3b1f~2
    Labelled c15253199e of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 as good
    $ sess label good 3b1f~2
    Labelled c15253199e of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 as good
    $ sess label good 3b1f~4
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/good' exists already (it names c15253199e)
    ! hint: move it with -f, or choose another name; nothing was changed
    exit 1
    $ sess label -f good 3b1f~4
    Labelled 8d9c0e3aab of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 as good (was c15253199e)
    ! go back with: sess label -f --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 good c15253199e
    $ sess label -f --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 good 1a1f03e9f5
    ! sess: no session or entry is called '1a1f03e9f5'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess label -d good --session 3b1f
    Deleted label good of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 (was 8d9c0e3aab)
    ! go back with: sess label --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 good 8d9c0e3aab
    $ sess label -d good --session 3b1f
    ! sess: no label is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/good'
    ! hint: type 'sess label --session SESSION' to see its labels
    exit 1
    $ sess label --session 3b1f
    ! no labels: type 'sess label NAME' to set one
    "
  `)
})

it('refuses what is no name, what is a branch, and an entry of no session', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess label begin 3b1f~15')
  expect(
    await typed(
      shell,
      "sess label 'a..b' 3b1f",
      'sess label main 3b1f~1',
      'sess label lost 98c5e71acd',
      'sess label here',
      'sess label good 3b1f/begn',
      'sess label -d begn --session 3b1f',
      'sess label -d one two --session 3b1f',
      'sess label --session nobody',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess label 'a..b' 3b1f
    ! sess: 'a..b' cannot be a name
    ! hint: use letters and digits, with spaces and . _ - + @ / between them; at most 200 characters
    exit 1
    $ sess label main 3b1f~1
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main' exists already (it is a branch)
    ! hint: choose another name; nothing was changed
    exit 1
    $ sess label lost 98c5e71acd
    ! sess: '98c5e71acd' names an entry and no session
    ! hint: name the session too: 'sess label --session SESSION lost 98c5e71acd'
    exit 2
    $ sess label here
    ! sess: no session is current in '/home/ada' (none was switched to or held there or above)
    ! hint: type 'sess ls' to see all sessions, and 'sess switch SESSION' to make one current here
    exit 1
    $ sess label good 3b1f/begn
    ! sess: no session or entry is called '3b1f/begn'
    ! hint: did you mean '3b1f/begin'? type 'sess branch 3b1f' to see its branches
    exit 1
    $ sess label -d begn --session 3b1f
    ! sess: no label is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/begn'
    ! hint: did you mean '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/begin'? type 'sess label --session SESSION' to see its labels
    exit 1
    $ sess label -d one two --session 3b1f
    ! sess: '--delete' and <label> exclude each other
    ! hint: type 'sess help label' to see how it is used
    exit 2
    $ sess label --session nobody
    ! sess: no session is called 'nobody'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('takes the current session of the folder where none is named', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess append --new --title Tea', {
    stdin: ['{"body":{"role":"user","content":"Green or black?"}}\n'],
  })
  await shell.run('sess switch Tea/main')
  const { stdout } = await shell.run('sess rev-parse --short @')
  const oid = stdout.trim()
  expect(
    await typed(shell, 'sess label asked', `sess label -f asked ${oid}`, 'sess label'),
  ).toMatchInlineSnapshot(`
    "$ sess label asked
    Labelled e1617908ad of session 019de368-f600-7617-9819-1a1b1c1d1e1f as asked
    $ sess label -f asked e1617908ad
    Labelled e1617908ad of session 019de368-f600-7617-9819-1a1b1c1d1e1f as asked
    $ sess label
    asked  e1617908ad  user       Green or black?
    "
  `)
})

it('gives scripts what it did', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    await typed(
      shell,
      'sess label good 3b1f~2 --json',
      'sess label -f good 3b1f~4 --json',
      'sess label --session 3b1f --json',
      'sess label -d good --session 3b1f --json',
      'sess label --session 3b1f --json',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess label good 3b1f~2 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","name":"good","oid":"c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4","before":null}
    $ sess label -f good 3b1f~4 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","name":"good","oid":"8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42","before":"c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4"}
    $ sess label --session 3b1f --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","name":"good","oid":"8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42","role":"user","text":"This session is continued from one that ran out of context. The tide table of Saint-Malo was one hour off because src/format.js added a fixed offset; clock() now uses Intl with Europe/Paris."}
    $ sess label -d good --session 3b1f --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","deleted":"good","oid":"8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42"}
    $ sess label --session 3b1f --json
    "
  `)
})

it('goes with a fork where it lies on the shared path', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    await typed(
      shell,
      'sess label early 3b1f~15',
      'sess label late 3b1f~1',
      'sess fork 3b1f~10 --title Again',
      'sess label --session Again',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess label early 3b1f~15
    Labelled 2d638533d9 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 as early
    $ sess label late 3b1f~1
    Labelled 6b65079442 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 as late
    $ sess fork 3b1f~10 --title Again
    Forked at c237dd026e into session 019de36b-b520-7617-9819-1a1b1c1d1e1f
    $ sess label --session Again
    early  2d638533d9  assistant  Summer time began on Sunday, so I look at where times are printed.
    "
  `)
})

it('finds labels by their names and by what their entries say', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess label good 3b1f~3')
  await shell.run('sess label clocks-first 3b1f~7')
  expect(
    [
      await shell.type('sess label --find CLOCK --all'),
      await shell.type('sess label --find goo --session 3b1f'),
      await shell.type('sess label --find nothing --all'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess label --find CLOCK --all
    3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/clocks-first  cc9b4f9693  tool       ← The file /home/ada/tide…
    3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/good          044940b6dd  user       Add a test for the night…
    $ sess label --find goo --session 3b1f
    good  044940b6dd  user       Add a test for the night when the clocks change.
    $ sess label --find nothing --all
    ! no label has 'nothing'
    "
  `)
})
