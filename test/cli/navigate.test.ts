import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('goes to an entry, or before it to say it anew', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess navigate 3b1f~3'),
      await shell.type('sess append 3b1f --role user', { stdin: ['Add no test.'] }),
      await shell.type('sess navigate 3b1f/main --summary "No test was added."'),
      await shell.type('sess navigate 3b1f~1'),
      await shell.type('sess navigate 3b1f'),
      await shell.type('sess navigate 3b1f/at-1d9fca05 --digest --json'),
      await shell.type('sess navigate --root --session 3b1f'),
      await shell.type('sess branch 3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess navigate 3b1f~3
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (753c6d8420) (was 663a572479)
    Left 3 entries
    To send again:
        Add a test for the night when the clocks change.
    ! go back with: sess undo
    $ sess append 3b1f --role user
    47d7d220f40d860463901ff2424cde6c81f41d238eda93444f2ed698865383e7
    $ sess navigate 3b1f/main --summary "No test was added."
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch main (d93437d6b9) (was f3762e9da0)
    Left 1 entry, on the new branch at-f3762e9d, with a summary
    ! go back with: sess undo
    $ sess navigate 3b1f~1
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (663a572479) (was d93437d6b9)
    Left 1 entry
    ! go back with: sess undo
    $ sess navigate 3b1f
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (663a572479)
    ! it is there already: nothing was changed
    $ sess navigate 3b1f/at-4aa71938 --digest --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","cancelled":false,"aborted":false,"head":{"branch":"at-4aa71938"},"tip":"75719d2101c7040baf0945be5c703c23f0513f8b9696d17ec7870b2d26ac33b7","before":{"oid":"663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748"},"beforeTip":"663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748","commonAncestor":"4682a27b862b584ffe3f68218e49aedb3a2ab78166b20d862a6a9341d55f4f14","abandoned":10,"kept":null,"text":null,"summary":"75719d2101c7040baf0945be5c703c23f0513f8b9696d17ec7870b2d26ac33b7"}
    $ sess navigate --root --session 3b1f
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to before its first entry (was 75719d2101)
    Left 13 entries
    ! go back with: sess undo
    $ sess branch 3b1f
      at-4aa71938  75719d2101
      at-f3762e9d  f3762e9da0
      main         d93437d6b9
    ! the session is before its first entry
    "
  `)
})

it('takes a revision, or --root', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess navigate'),
      await shell.type('sess navigate --root 3b1f'),
      await shell.type('sess navigate 65c1f1916d'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess navigate
    ! sess: no revision was named
    ! hint: type 'sess navigate REVISION', or 'sess navigate --root'
    exit 2
    $ sess navigate --root 3b1f
    ! sess: '--root' and <revision> exclude each other
    ! hint: type 'sess help navigate' to see how it is used
    exit 2
    $ sess navigate 65c1f1916d
    ! sess: '65c1f1916d' names an entry and no session
    ! hint: name the session too, with --session SESSION
    exit 2
    "
  `)
})
