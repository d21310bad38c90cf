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
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (8d9c0e3aab) (was 98c5e71acd)
    Left 3 entries
    To send again:
        Add a test for the night when the clocks change.
    ! go back with: sess undo
    $ sess append 3b1f --role user
    47d7d220f40d860463901ff2424cde6c81f41d238eda93444f2ed698865383e7
    $ sess navigate 3b1f/main --summary "No test was added."
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch main (5770dd62cc) (was 47d7d220f4)
    Left 1 entry, on the new branch at-47d7d220, with a summary
    ! go back with: sess undo
    $ sess navigate 3b1f~1
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (98c5e71acd) (was 5770dd62cc)
    Left 1 entry
    ! go back with: sess undo
    $ sess navigate 3b1f
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (98c5e71acd)
    ! it is there already: nothing was changed
    $ sess navigate 3b1f/at-1d9fca05 --digest --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","cancelled":false,"aborted":false,"head":{"branch":"at-1d9fca05"},"tip":"2e0a524c5086385feb6a1b4c65977cabbd32ec21b7bcf95686aa438c7bf4bc60","before":{"oid":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4"},"beforeTip":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","commonAncestor":"c237dd026e656c5c505926fb0fdd0f6f5d061467465ec6448f5330bcc7d18a61","abandoned":10,"kept":null,"text":null,"summary":"2e0a524c5086385feb6a1b4c65977cabbd32ec21b7bcf95686aa438c7bf4bc60"}
    $ sess navigate --root --session 3b1f
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to before the first entry (was 2e0a524c50)
    Left 13 entries
    ! go back with: sess undo
    $ sess branch 3b1f
      at-1d9fca05  2e0a524c50
      at-47d7d220  47d7d220f4
      main         5770dd62cc
    ! current position: before the first entry
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
