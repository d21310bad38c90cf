import { expect, it } from 'vitest'
import { append } from '../../src/ops/append/append.ts'
import { Repo } from '../../src/repo/repo.ts'
import { Shell } from '../support/shell.ts'
import { typed } from '../support/typed.ts'

it('takes commands back one by one, and does them again', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/pi')
  expect(
    await typed(
      shell,
      'sess branch 019d4e07 try 019d4e07~7',
      'sess switch 019d4e07/try',
      'sess undo',
      'sess undo',
      'sess undo',
      'sess undo',
      'sess redo',
      'sess redo',
      'sess redo',
      'sess redo',
      'sess op log',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess branch 019d4e07 try 019d4e07~7
    Created branch try at 6f13a4c27e
    $ sess switch 019d4e07/try
    Switched session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 to branch try (6f13a4c27e)
    ! go back with: sess switch --session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 main
    $ sess undo
    Undid operation 3 (2026-05-01 12:02, 1 minute ago): sess switch 019d4e07/try
      - 019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD  was branch try
      - current session in /home/ada  was 019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    ! redo it with: sess redo
    $ sess undo
    Undid operation 2 (2026-05-01 12:01, 3 minutes ago): sess branch 019d4e07 try 019d4e07~7
      - 019d4e07-5b20-7d11-a6c2-93e1f04b7a65/try  was 6f13a4c27e
    ! redo it with: sess redo
    $ sess undo
    Undid operation 1 (2026-05-01 12:00, 5 minutes ago): sess import sessions/pi
      - session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65  "Slow forecast for Brest"
    ! redo it with: sess redo
    $ sess undo
    ! sess: there is nothing to undo
    ! hint: type 'sess op log' to see the operations, or 'sess redo' to take the last undo back
    exit 1
    $ sess redo
    Redid operation 1 (2026-05-01 12:00, 7 minutes ago): sess import sessions/pi
      + session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65  "Slow forecast for Brest"
    ! undo it with: sess undo 1
    $ sess redo
    Redid operation 2 (2026-05-01 12:01, 7 minutes ago): sess branch 019d4e07 try 019d4e07~7
      + 019d4e07-5b20-7d11-a6c2-93e1f04b7a65/try  6f13a4c27e
    ! undo it with: sess undo 2
    $ sess redo
    Redid operation 3 (2026-05-01 12:02, 7 minutes ago): sess switch 019d4e07/try
      + 019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD  branch try
      + current session in /home/ada  019d4e07-5b20-7d11-a6c2-93e1f04b7a65
    ! undo it with: sess undo 3
    $ sess redo
    ! sess: there is nothing to redo
    ! hint: type 'sess op log' to see the operations; 'sess op restore OP' goes back to any of them
    exit 1
    $ sess op log
    9  <id>  2026-05-01 12:09  ada@engine  sess redo  (2 refs, redid 3)
    8  <id>  2026-05-01 12:08  ada@engine  sess redo  (1 ref, redid 2)
    7  <id>  2026-05-01 12:07  ada@engine  sess redo  (4 refs, redid 1)
    6  <id>  2026-05-01 12:05  ada@engine  sess undo  (4 refs, undid 1, undone by 7)
    5  <id>  2026-05-01 12:04  ada@engine  sess undo  (1 ref, undid 2, undone by 8)
    4  <id>  2026-05-01 12:03  ada@engine  sess undo  (2 refs, undid 3, undone by 9)
    3  <id>  2026-05-01 12:02  ada@engine  sess switch 019d4e07/try  (2 refs)
    2  <id>  2026-05-01 12:01  ada@engine  sess branch 019d4e07 try 019d4e07~7  (1 ref)
    1  <id>  2026-05-01 12:00  ada@engine  sess import sessions/pi  (4 refs)
    "
  `)
})

it('names what moved a ref since, and changes nothing then', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/pi')
  const session = '019d4e07-5b20-7d11-a6c2-93e1f04b7a65'
  expect(
    await typed(
      shell,
      'sess branch 019d4e07 try 019d4e07~7',
      'sess switch 019d4e07/try',
      'sess undo 2',
      'sess undo 1',
      `sess update-ref sessions/${session}/HEAD ref:main`,
      `sess update-ref sessions/${session}/branches/try 019d4e07~3`,
      'sess undo 2',
      'sess undo 9',
      'sess undo 5 --json',
      'sess undo 5',
      'sess undo 6',
      'sess op log',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess branch 019d4e07 try 019d4e07~7
    Created branch try at 6f13a4c27e
    $ sess switch 019d4e07/try
    Switched session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 to branch try (6f13a4c27e)
    ! go back with: sess switch --session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 main
    $ sess undo 2
    ! sess: '019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD' changed meanwhile (after operation 2, by operation 3: sess switch 019d4e07/try)
    ! hint: undo that one first with 'sess undo 3', or look at it with 'sess op show 3'; nothing was changed
    exit 3
    $ sess undo 1
    ! sess: '019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD' changed meanwhile (after operation 1, by operation 3: sess switch 019d4e07/try)
    ! hint: undo that one first with 'sess undo 3', or look at it with 'sess op show 3'; nothing was changed
    exit 3
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD ref:main
    $ sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/try 019d4e07~3
    $ sess undo 2
    ! sess: '019d4e07-5b20-7d11-a6c2-93e1f04b7a65/try' changed meanwhile (after operation 2, by operation 5: sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/try 019d4e07~3)
    ! hint: undo that one first with 'sess undo 5', or look at it with 'sess op show 5'; nothing was changed
    exit 3
    $ sess undo 9
    ! sess: there is no operation '9' (the newest is 5)
    ! hint: type 'sess op log' to see the operations
    exit 1
    $ sess undo 5 --json
    {"kind":"undo","operation":{"number":5,"id":"<id>","time":"2026-05-01T12:06:00.000Z","who":"ada@engine","actor":"person","command":"sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/try 019d4e07~3","refs":1,"open":false,"turn":null,"undoneBy":6},"by":6,"moves":[{"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/try","old":"a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71","new":"6f13a4c27e397f7aceb08d5b6625b4606e34be2c576e82d829c759d1ba1ad62e"}],"left":[]}
    $ sess undo 5
    ! sess: there is nothing to undo (operation 5 is undone already, by operation 6)
    ! hint: type 'sess op log' to see the operations, or 'sess redo' to take the last undo back
    exit 1
    $ sess undo 6
    Redid operation 5 (2026-05-01 12:06, 5 minutes ago): sess update-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/try 019d4e07~3
        019d4e07-5b20-7d11-a6c2-93e1f04b7a65/try  6f13a4c27e -> a0209d045e
    ! undo it with: sess undo 5
    $ sess op log
    7  <id>  2026-05-01 12:11  ada@engine  sess undo 6  (1 ref, redid 5)
    6  <id>  2026-05-01 12:09  ada@engine  sess undo 5 --json  (1 ref, undid 5, undone by 7)
    5  <id>  2026-05-01 12:06  ada@engine  sess update-ref sessions/019d4e07-5b20-7d11-a6c…  (1 ref)
    4  <id>  2026-05-01 12:05  ada@engine  sess update-ref sessions/019d4e07-5b20-7d11-a6c…  (1 ref)
    3  <id>  2026-05-01 12:02  ada@engine  sess switch 019d4e07/try  (2 refs)
    2  <id>  2026-05-01 12:01  ada@engine  sess branch 019d4e07 try 019d4e07~7  (1 ref)
    1  <id>  2026-05-01 12:00  ada@engine  sess import sessions/pi  (4 refs)
    "
  `)
})

it('leaves alone what programs did, unless it is asked', async () => {
  const shell = new Shell({ samples: false })
  const made = await shell.run('sess append --new --title Tea --role user --store tea', { stdin: ['Green?'] })
  const session = made.stdout.split('\n')[0] as string
  const repo = await Repo.open(shell.path('tea'), {
    env: { ...shell.platform({}, process.stdout, process.stderr).env },
  })
  await append(repo, session, [{ body: { role: 'assistant', content: 'Black.' } }])
  await repo.close()
  expect(
    (
      await typed(
        shell,
        'sess undo --store tea',
        'sess undo --store tea --any --session Tea',
        'sess undo --store tea',
        'sess undo --store tea',
        'sess undo --store tea --any --session Tea',
        'sess log Tea --store tea',
        'sess redo --store tea',
        'sess redo --store tea',
        'sess log Tea --store tea',
      )
    ).replaceAll(session, '<session>'),
  ).toMatchInlineSnapshot(`
    "$ sess undo --store tea
    ! sess: '<session>/main' changed meanwhile (after operation 1, by operation 2: library)
    ! hint: undo that one first with 'sess undo 2', or look at it with 'sess op show 2'; nothing was changed
    exit 3
    $ sess undo --store tea --any --session Tea
    Undid operation 2 (2026-05-01 12:01, 2 minutes ago): library
        <session>/main  b289deca0b -> f09203a830
        <session>: appended entries  2 records -> 1 record
    ! redo it with: sess redo
    $ sess undo --store tea
    Undid operation 1 (2026-05-01 12:00, 4 minutes ago): sess append --new --title Tea --role user
      - session <session>  "Tea"
      - current session in /home/ada  was <session>
    ! redo it with: sess redo
    $ sess undo --store tea
    ! sess: there is nothing to undo
    ! hint: type 'sess op log' to see the operations, or 'sess redo' to take the last undo back
    exit 1
    $ sess undo --store tea --any --session Tea
    ! sess: there is nothing to undo
    ! hint: type 'sess op log' to see the operations, or 'sess redo' to take the last undo back
    exit 1
    $ sess log Tea --store tea
    ! sess: no session or entry is called 'Tea'
    ! hint: there are no sessions yet: type 'sess import' to import those of this machine
    exit 1
    $ sess redo --store tea
    Redid operation 1 (2026-05-01 12:00, 8 minutes ago): sess append --new --title Tea --role user
      + session <session>  "Tea"
      + current session in /home/ada  <session>
    ! undo it with: sess undo 1
    $ sess redo --store tea
    Redid operation 2 (2026-05-01 12:01, 8 minutes ago): library
        <session>/main  f09203a830 -> b289deca0b
        <session>: appended entries  1 record -> 2 records
    ! undo it with: sess undo 2
    $ sess log Tea --store tea
    b289deca0b  2026-05-01 12:01  assistant  (*main) Black.
    f09203a830  2026-05-01 12:00  user       Green?
    "
  `)
})

it('leaves records of appends where others followed them', async () => {
  const shell = new Shell({ samples: false })
  await shell.run('sess init')
  await shell.run('sess append --new --title Tea --role user', { stdin: ['Green?'] })
  await shell.run('sess append Tea --role assistant', { stdin: ['Black.'] })
  await shell.run('sess switch --session Tea -c other Tea~1')
  await shell.run('sess append Tea --role assistant', { stdin: ['Green.'] })
  const session = JSON.parse((await shell.run('sess ls --json')).stdout) as { id: string }
  expect(
    (await typed(shell, 'sess undo 2', 'sess fsck', 'sess log Tea --all', 'sess undo 2')).replaceAll(
      session.id,
      '<session>',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess undo 2
    Undid operation 2 (2026-05-01 12:02, 4 minutes ago): sess append Tea --role assistant
        <session>/main  b289deca0b -> f09203a830
    ! entries were appended since: their records stay, without effect
    ! redo it with: sess redo
    $ sess fsck
    all is well: 3 entries, 1 session, 3 records, 5 operations
    $ sess log Tea --all
    33ce74d4f7  2026-05-01 12:04  assistant  (*other) Green.
    f09203a830  2026-05-01 12:01  user       (main) Green?
    $ sess undo 2
    ! sess: there is nothing to undo (operation 2 is undone already, by operation 5)
    ! hint: type 'sess op log' to see the operations, or 'sess redo' to take the last undo back
    exit 1
    "
  `)
})

it('tells scripts what it did', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/pi')
  expect(
    await typed(
      shell,
      'sess branch 019d4e07 try 019d4e07~7',
      'sess undo --json',
      'sess redo --json',
      'sess redo --json',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess branch 019d4e07 try 019d4e07~7
    Created branch try at 6f13a4c27e
    $ sess undo --json
    {"kind":"undo","operation":{"number":2,"id":"<id>","time":"2026-05-01T12:01:00.000Z","who":"ada@engine","actor":"person","command":"sess branch 019d4e07 try 019d4e07~7","refs":1,"open":false,"turn":null,"undoneBy":3},"by":3,"moves":[{"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/try","old":"6f13a4c27e397f7aceb08d5b6625b4606e34be2c576e82d829c759d1ba1ad62e","new":null}],"left":[]}
    $ sess redo --json
    {"kind":"redo","operation":{"number":2,"id":"<id>","time":"2026-05-01T12:01:00.000Z","who":"ada@engine","actor":"person","command":"sess branch 019d4e07 try 019d4e07~7","refs":1,"open":false,"turn":null,"undoneBy":null},"by":4,"moves":[{"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/try","old":null,"new":"6f13a4c27e397f7aceb08d5b6625b4606e34be2c576e82d829c759d1ba1ad62e"}],"left":[]}
    $ sess redo --json
    ! {"error":{"code":"nothing-to-redo","kind":"user","message":"there is nothing to redo","hint":"type 'sess op log' to see the operations; 'sess op restore OP' goes back to any of them","retryable":false}}
    exit 1
    "
  `)
})
