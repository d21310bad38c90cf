import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('lists, makes, renames and removes branches', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess branch 3b1f'),
      await shell.type('sess branch 3b1f try 3b1f~7'),
      await shell.type('sess branch 3b1f -m try without-library'),
      await shell.type('sess branch 3b1f'),
      await shell.type('sess branch 3b1f -d without-library'),
      await shell.type('sess branch 3b1f without-library 61d764c819'),
      await shell.type('sess log 3b1f/without-library -n 1'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess branch 3b1f
      at-4aa71938  1b4aafc722
    * main         663a572479
    $ sess branch 3b1f try 3b1f~7
    Made branch try at fcb29249e9
    $ sess branch 3b1f -m try without-library
    Renamed branch try to without-library
    ! go back with: sess branch -m without-library 3b1f try
    $ sess branch 3b1f
      at-4aa71938      1b4aafc722
    * main             663a572479
      without-library  fcb29249e9
    $ sess branch 3b1f -d without-library
    Removed branch without-library (was fcb29249e9)
    ! bring it back with: sess branch 3b1f without-library fcb29249e9
    $ sess branch 3b1f without-library 61d764c819
    Made branch without-library at 61d764c819
    $ sess log 3b1f/without-library -n 1
    61d764c819  2026-03-30 09:06  user       (without-library) Fix it without a time zone library, and…
    "
  `)
})

it('refuses what is there, what is not, and the branch that the session stands on', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess branch 3b1f main'),
      await shell.type('sess branch 3b1f "a b/../c"'),
      await shell.type('sess branch 3b1f -d mian'),
      await shell.type('sess branch 3b1f -d main'),
      await shell.type('sess branch 3b1f -d main other'),
      await shell.type('sess branch 3b1f -m main'),
      await shell.type('sess branch 3b2f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess branch 3b1f main
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main' exists already
    ! hint: choose another name; nothing was changed
    exit 1
    $ sess branch 3b1f "a b/../c"
    ! sess: 'a b/../c' cannot be a name
    ! hint: use letters and digits, with spaces and . _ - + @ / between them; at most 200 characters
    exit 1
    $ sess branch 3b1f -d mian
    ! sess: no branch is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/mian'
    ! hint: did you mean '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main'? type 'sess branch SESSION' to see its branches
    exit 1
    $ sess branch 3b1f -d main
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main' is the current branch of its session
    ! hint: switch to another branch first: 'sess switch 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/BRANCH'
    exit 1
    $ sess branch 3b1f -d main other
    ! sess: -d takes one name
    ! hint: type 'sess help branch' to see how it is used
    exit 2
    $ sess branch 3b1f -m main
    ! sess: -m takes two names: OLD NEW
    ! hint: type 'sess help branch' to see how it is used
    exit 2
    $ sess branch 3b2f
    ! sess: no session is called '3b2f'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('gives scripts what it did', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess branch 019d4e07 --json'),
      await shell.type('sess branch 019d4e07 try --json'),
      await shell.type('sess branch 019d4e07 -m try other --json'),
      await shell.type('sess branch 019d4e07 -d other --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess branch 019d4e07 --json
    {"name":"main","oid":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1","current":true,"labels":[],"forkPoint":null,"entries":15,"calls":3,"estimated":184}
    $ sess branch 019d4e07 try --json
    {"session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","action":"create","name":"try","oid":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1","current":false}
    $ sess branch 019d4e07 -m try other --json
    {"session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","action":"rename","name":"other","oid":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1","current":false,"before":"try"}
    $ sess branch 019d4e07 -d other --json
    {"deleted":"other","oid":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1"}
    "
  `)
})

it('tells what each branch has of its own, and where a detached session stands', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess branch 3b1f earlier 3b1f~3')
  expect(
    [
      await shell.type('sess branch 3b1f -v'),
      await shell.type('sess branch 3b1f -v --json'),
      await shell.run('sess switch 3b1f~2').then(() => shell.type('sess branch 3b1f')),
      await shell.run('sess switch --root 3b1f').then(() => shell.type('sess branch 3b1f')),
      await shell.run('sess switch --root -c new 3b1f').then(() => shell.type('sess branch 3b1f')),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess branch 3b1f -v
                          TIP    PARTS AT  ENTRIES  MESSAGES  TOKENS  COST        LAST
      at-4aa71938  1b4aafc722  4682a27b86        4         4   35.0k        2026-03-30
      earlier      43f5ff2872  43f5ff2872        0         0      ~0        2026-03-30
    * main         663a572479                   18        15    105k        2026-03-30
    $ sess branch 3b1f -v --json
    {"name":"at-4aa71938","oid":"1b4aafc722616532fbb1f6e7df06e60cf54aef0b632169b5f0b8e8baf699397d","current":false,"labels":[],"forkPoint":"4682a27b862b584ffe3f68218e49aedb3a2ab78166b20d862a6a9341d55f4f14","entries":4,"calls":1,"estimated":62,"figures":{"messages":4,"tokens":{"input":28,"output":440,"cacheRead":30840,"cacheWrite":3660,"total":34968},"cost":null,"lastActivity":"2026-03-30T09:04:20.781Z"}}
    {"name":"earlier","oid":"43f5ff28723706b73954fae26dc199c1e3c2cf3e3544aab2ed1dd646f978097f","current":false,"labels":[],"forkPoint":"43f5ff28723706b73954fae26dc199c1e3c2cf3e3544aab2ed1dd646f978097f","entries":0,"calls":0,"estimated":0,"figures":{"messages":0,"tokens":null,"cost":null,"lastActivity":"2026-03-30T09:21:03.740Z"}}
    {"name":"main","oid":"663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748","current":true,"labels":[],"forkPoint":null,"entries":18,"calls":4,"estimated":511,"figures":{"messages":15,"tokens":{"input":84,"output":1320,"cacheRead":92520,"cacheWrite":10980,"total":104904},"cost":null,"lastActivity":"2026-03-30T09:21:18.151Z"}}
    $ sess branch 3b1f
      at-4aa71938  1b4aafc722
      earlier      43f5ff2872
      main         663a572479
    ! the session stands on an entry of no branch (4d0956023c)
    $ sess branch 3b1f
      at-4aa71938  1b4aafc722
      earlier      43f5ff2872
      main         663a572479
    ! the session stands before its first entry
    $ sess branch 3b1f
      at-4aa71938  1b4aafc722
      earlier      43f5ff2872
      main         663a572479
    ! the session stands on branch new (no entry yet)
    "
  `)
})
