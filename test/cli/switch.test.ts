import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('makes a session stand elsewhere, and the next append continues from there', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess switch 3b1f/at-4aa71938'),
      await shell.type('sess append 3b1f --role user', { stdin: ['Which version of luxon?'] }),
      await shell.type('sess log 3b1f -n 2'),
      await shell.type('sess switch --session 3b1f main'),
      await shell.type('sess switch 3b1f~2'),
      await shell.type('sess switch -c earlier 3b1f~3'),
      await shell.type('sess branch 3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess switch 3b1f/at-4aa71938
    Session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 stands on branch at-4aa71938 (1b4aafc722) now
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 main
    $ sess append 3b1f --role user
    43634e77e1eca1cbc4acb5e8eeb1815da6689e15544a143dcede2dbb191fe263
    $ sess log 3b1f -n 2
    43634e77e1  2026-05-01 12:02  user       (*at-4aa71938) Which version of luxon?
    1b4aafc722  2026-03-30 09:04  assistant  Done with luxon: \`clock\` now converts to Europe/Paris.
    $ sess switch --session 3b1f main
    Session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 stands on branch main (663a572479) now
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 at-4aa71938
    $ sess switch 3b1f~2
    Session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 stands on an entry of no branch (4d0956023c) now
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 main
    ! hint: what is appended here is on no branch; make one with: sess switch -c NAME 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! hint: turn this hint off with: sess config hints.detached false
    $ sess switch -c earlier 3b1f~3
    Session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 stands on branch earlier (8c18fd7139) now
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 4d0956023c4a312c872592d0791b2c140e2de2476250345bf41227472bace631
    $ sess branch 3b1f
      at-4aa71938  43634e77e1
    * earlier      8c18fd7139
      main         663a572479
    "
  `)
})

it('needs a session', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess switch 61d764c819'),
      await shell.type('sess switch -c new 61d764c819'),
      await shell.type('sess switch -c new --session 3b1f 61d764c819 --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess switch 61d764c819
    ! sess: '61d764c819' names an entry and no session
    ! hint: name the session too: 'sess switch --session SESSION 61d764c819'
    exit 2
    $ sess switch -c new 61d764c819
    ! sess: '61d764c819' names an entry and no session
    ! hint: name the session too, with --session SESSION
    exit 2
    $ sess switch -c new --session 3b1f 61d764c819 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","head":{"branch":"new"},"tip":"61d764c819cb0d1bb75e6c17ef48df9e1ff727971940e9361afeefbe5e0bb4a7","before":{"branch":"main"},"beforeTip":"663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748"}
    "
  `)
})
