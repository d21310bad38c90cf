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
      await shell.type('sess branch 3b1f without-library 65c1f1916d'),
      await shell.type('sess log 3b1f/without-library -n 1'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess branch 3b1f
      at-1d9fca05  eeb9681aa7
    * main         98c5e71acd
    $ sess branch 3b1f try 3b1f~7
    Created branch try at cc9b4f9693
    $ sess branch 3b1f -m try without-library
    Renamed branch try to without-library
    ! go back with: sess branch -m without-library 3b1f try
    $ sess branch 3b1f
      at-1d9fca05      eeb9681aa7
    * main             98c5e71acd
      without-library  cc9b4f9693
    $ sess branch 3b1f -d without-library
    Deleted branch without-library (was cc9b4f9693)
    ! go back with: sess branch 3b1f without-library cc9b4f9693
    $ sess branch 3b1f without-library 65c1f1916d
    Created branch without-library at 65c1f1916d
    $ sess log 3b1f/without-library -n 1
    65c1f1916d  2026-03-30 09:06  user       (without-library) Fix it without a time zone library, and…
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
    ! sess: '--delete' and <name> exclude each other
    ! hint: type 'sess help branch' to see how it is used
    exit 2
    $ sess branch 3b1f -m main
    ! sess: '--move' needs <name>
    ! hint: type 'sess help branch' to see how it is used
    exit 2
    $ sess branch 3b2f
    ! sess: no session is called '3b2f'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('lists what each branch cost, computed where no agent recorded it', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess branch 3b1f -v'),
      await shell.type('sess config prices claude-sonnet-4-5=0/0/1000000'),
      await shell.type('sess branch 3b1f -v'),
      await shell.type('sess branch 019d4e07 -v'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess branch 3b1f -v
                          TIP    PARTS AT  ENTRIES  MESSAGES  TOKENS    COST        LAST
      at-1d9fca05  eeb9681aa7  c237dd026e        4         4   35.0k  ~$0.03  2026-03-30
    * main         98c5e71acd                   18        15    105k  ~$0.09  2026-03-30
    $ sess config prices claude-sonnet-4-5=0/0/1000000
    Set prices to claude-sonnet-4-5=0/0/1000000 for the user (was not set)
    ! go back with: sess config --unset prices
    $ sess branch 3b1f -v
                          TIP    PARTS AT  ENTRIES  MESSAGES  TOKENS       COST        LAST
      at-1d9fca05  eeb9681aa7  c237dd026e        4         4   35.0k   ~$440.00  2026-03-30
    * main         98c5e71acd                   18        15    105k  ~$1320.00  2026-03-30
    $ sess branch 019d4e07 -v
                   TIP  PARTS AT  ENTRIES  MESSAGES  TOKENS   COST        LAST
    * main  d46180147d                 15        12   12.5k  $0.03  2026-04-02
    "
  `)
  const lines = (await shell.run('sess branch 3b1f -v --json')).stdout.trim().split('\n')
  const figures = lines.map((line) => (JSON.parse(line) as { figures: { computed: number } }).figures)
  expect(figures.map(({ computed }) => computed > 0)).toEqual([true, true])
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
                          TIP    PARTS AT  ENTRIES  MESSAGES  TOKENS    COST        LAST
      at-1d9fca05  eeb9681aa7  c237dd026e        4         4   35.0k  ~$0.03  2026-03-30
      earlier      044940b6dd  044940b6dd        0         0      ~0          2026-03-30
    * main         98c5e71acd                   18        15    105k  ~$0.09  2026-03-30
    $ sess branch 3b1f -v --json
    {"name":"at-1d9fca05","oid":"eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898","current":false,"labels":[],"forkPoint":"c237dd026e656c5c505926fb0fdd0f6f5d061467465ec6448f5330bcc7d18a61","entries":4,"calls":1,"estimated":62,"figures":{"messages":4,"tokens":{"input":28,"output":440,"cacheRead":30840,"cacheWrite":3660,"total":34968},"cost":0.029661,"computed":0.029661,"unpriced":0,"lastActivity":"2026-03-30T09:04:20.781Z"}}
    {"name":"earlier","oid":"044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d","current":false,"labels":[],"forkPoint":"044940b6dd9c1146318c95c591c87c5cf11e3849755e1de6c29631305f0b712d","entries":0,"calls":0,"estimated":0,"figures":{"messages":0,"tokens":null,"cost":null,"computed":0,"unpriced":0,"lastActivity":"2026-03-30T09:21:03.740Z"}}
    {"name":"main","oid":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","current":true,"labels":[],"forkPoint":null,"entries":18,"calls":4,"estimated":511,"figures":{"messages":15,"tokens":{"input":84,"output":1320,"cacheRead":92520,"cacheWrite":10980,"total":104904},"cost":0.088983,"computed":0.088983,"unpriced":0,"lastActivity":"2026-03-30T09:21:18.151Z"}}
    $ sess branch 3b1f
      at-1d9fca05  eeb9681aa7
      earlier      044940b6dd
      main         98c5e71acd
    ! current position: an entry on no branch (c15253199e)
    $ sess branch 3b1f
      at-1d9fca05  eeb9681aa7
      earlier      044940b6dd
      main         98c5e71acd
    ! current position: before the first entry
    $ sess branch 3b1f
      at-1d9fca05  eeb9681aa7
      earlier      044940b6dd
      main         98c5e71acd
    ! current position: branch new (no entry yet)
    "
  `)
})
