import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'
import { typed } from '../support/typed.ts'

it('tells where refs were, those included that are no more', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  await shell.run('sess branch 3b1f try 3b1f~7')
  await shell.run('sess switch 3b1f/try')
  await shell.run('sess append 3b1f --role user', { stdin: ['What now?'] })
  await shell.run('sess branch 3b1f -m try again')
  await shell.run('sess switch 3b1f/main')
  await shell.run('sess branch 3b1f -d again')
  expect(
    await typed(
      shell,
      'sess reflog 3b1f/try',
      'sess reflog 3b1f/again -n 2',
      'sess rev-parse 3b1f~7',
      'sess reflog "Tide table one hour off"',
      'sess reflog 3b1f/HEAD',
      'sess reflog 3b1f/nothing',
      'sess reflog @',
      'sess reflog 3b1f/again -n 1 --json',
      'sess undo 1',
      'sess op restore 0',
      'sess reflog 3b1f/try -n 2',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess reflog 3b1f/try
    3b1f/try@{0}  (removed)   2026-05-01 12:04  sess branch 3b1f -m try again
    3b1f/try@{1}  35d1c3e64c  2026-05-01 12:03  sess append 3b1f --role user      What now?
    3b1f/try@{2}  cc9b4f9693  2026-05-01 12:01  sess branch 3b1f try 3b1f~7       ← The file /home/ada/…
    $ sess reflog 3b1f/again -n 2
    3b1f/again@{0}  (removed)   2026-05-01 12:06  sess branch 3b1f -d again
    3b1f/again@{1}  35d1c3e64c  2026-05-01 12:04  sess branch 3b1f -m try again     What now?
    $ sess rev-parse 3b1f~7
    cc9b4f9693e1328196a771a1c8882c258bce2970fb392b24d565e890f196c518
    $ sess reflog "Tide table one hour off"
    Tide table one hour off/main@{0}  98c5e71acd  2026-05-01 12:00  sess import sessions/claude       Added \`te…
    $ sess reflog 3b1f/HEAD
    3b1f/HEAD@{0}  main        2026-05-01 12:05  sess switch 3b1f/main
    3b1f/HEAD@{1}  again       2026-05-01 12:04  sess branch 3b1f -m try again
    3b1f/HEAD@{2}  try         2026-05-01 12:02  sess switch 3b1f/try
    $ sess reflog 3b1f/nothing
    ! sess: no branch is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/nothing'
    ! hint: it has at-1d9fca05, main; type 'sess branch SESSION' to see its branches
    exit 1
    $ sess reflog @
    @/main@{0}  98c5e71acd  2026-05-01 12:00  sess import sessions/claude       Added \`test/clock.test.…
    $ sess reflog 3b1f/again -n 1 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","name":"again","index":0,"oid":null,"branch":null,"root":false,"operation":7,"time":"2026-05-01T12:06:00.000Z","who":"ada@engine","command":"sess branch 3b1f -d again","cursor":"WyJvcGVyYXRpb24iLDdd","text":null}
    $ sess undo 1
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD' changed meanwhile (after operation 1, by operation 6: sess switch 3b1f/main)
    ! hint: undo that one first with 'sess undo 6', or look at it with 'sess op show 6'; nothing was changed
    exit 3
    $ sess op restore 0
    Restored 10 refs to the beginning
      - current session in /home/ada  was 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
      - session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14  "Tide table one hour off"
      - session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e  "Tide table one hour off (fork)"
    ! go back with: sess undo
    $ sess reflog 3b1f/try -n 2
    3b1f/try@{0}  (removed)   2026-05-01 12:04  sess branch 3b1f -m try again
    3b1f/try@{1}  35d1c3e64c  2026-05-01 12:03  sess append 3b1f --role user      What now?
    "
  `)
})
