import { appendFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const line = (id: string, cwd: string, uuid: string, parentUuid: string | null): string =>
  `${JSON.stringify({
    parentUuid,
    sessionId: id,
    type: 'user',
    uuid,
    cwd,
    timestamp: '2026-04-02T07:30:00.000Z',
    message: { role: 'user', content: uuid },
  })}\n`

/** Two sessions of a project, one below it, and one of a project whose name begins alike. */
async function projects(): Promise<Shell> {
  const shell = new Shell({ samples: false })
  for (const [id, cwd] of [
    ['aaaaaaaa-0000-4000-8000-000000000001', '/src/web'],
    ['bbbbbbbb-0000-4000-8000-000000000002', '/src/web/app'],
    ['cccccccc-0000-4000-8000-000000000003', '/src/website'],
  ] as const)
    writeFileSync(shell.path(`${id}.jsonl`), line(id, cwd, 'Hi', null))
  await shell.run('sess import .')
  return shell
}

const folders = async (shell: Shell): Promise<string[]> =>
  (await shell.run('sess ls --json')).stdout
    .trimEnd()
    .split('\n')
    .map((text) => (JSON.parse(text) as { cwd: string }).cwd)
    .sort()

it('says of which folder sessions are now, and takes it back', async () => {
  const shell = await projects()
  expect(await shell.type('sess mv /src/web /old/web -n')).toMatchInlineSnapshot(`
    "$ sess mv /src/web /old/web -n
    would move session aaaaaaaa-0000-4000-8000-000000000001 to /old/web (was /src/web)
    would move session bbbbbbbb-0000-4000-8000-000000000002 to /old/web/app (was /src/web/app)
    ! dry run: nothing was written
    "
  `)
  expect(await shell.type('sess mv /src/web /new/web')).toMatchInlineSnapshot(`
    "$ sess mv /src/web /new/web
    Moved session aaaaaaaa-0000-4000-8000-000000000001 to /new/web (was /src/web)
    Moved session bbbbbbbb-0000-4000-8000-000000000002 to /new/web/app (was /src/web/app)
    ! go back with: sess undo
    "
  `)
  expect(await folders(shell)).toEqual(['/new/web', '/new/web/app', '/src/website'])
  expect(await shell.type('sess mv /src/web /new/web')).toMatchInlineSnapshot(`
    "$ sess mv /src/web /new/web
    ! sess: no session belongs to the folder '/src/web'
    ! hint: type 'sess ls --json' to see the folder of each; nothing was changed
    exit 1
    "
  `)
  expect(await shell.type('sess mv /new/web/app app --json')).toMatchInlineSnapshot(`
    "$ sess mv /new/web/app app --json
    {"session":"bbbbbbbb-0000-4000-8000-000000000002","title":null,"before":"/new/web/app","cwd":"/home/ada/app"}
    "
  `)
  await shell.run('sess undo')
  await shell.run('sess undo')
  expect(await folders(shell)).toEqual(['/src/web', '/src/web/app', '/src/website'])
})

it('takes what a source still says of the old folder for the new one, and another folder for itself', async () => {
  const shell = await projects()
  const id = 'aaaaaaaa-0000-4000-8000-000000000001'
  await shell.run('sess mv /src/web /new/web')
  await shell.run('sess mv /new /newer')
  appendFileSync(shell.path(`${id}.jsonl`), line(id, '/src/web', 'More', 'Hi'))
  expect((await shell.run('sess import . --json')).stdout).toContain('"newEntries":1')
  expect(await folders(shell)).toEqual(['/newer/web', '/newer/web/app', '/src/website'])
})
