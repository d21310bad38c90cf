import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('counts what the store holds', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const { stdout } = await shell.run('sess stats')
  // How much the database takes depends on its version.
  expect(stdout.replace(/(store +).*/, '$1…')).toMatchInlineSnapshot(`
    "sessions  5
    records   98
    entries   56
    blobs     1
    sources   43.0 kB
    store     …
    "
  `)
  const json = JSON.parse((await shell.run('sess stats --json')).stdout) as { storeBytes: number }
  expect({ ...json, storeBytes: json.storeBytes > 10_000 }).toMatchInlineSnapshot(`
    {
      "attempts": 1,
      "blobs": 1,
      "branched": 1,
      "entries": 56,
      "records": 98,
      "repairUnfinished": false,
      "sessions": 5,
      "sourceBytes": 43015,
      "storeBytes": true,
    }
  `)
})

it('sums up tokens and costs by day, project, agent or model', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess stats --by agent'),
      await shell.type('sess config prices gpt-5.5=1000/1000/1000'),
      await shell.type('sess stats --by model'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess stats --by agent
    AGENT        SESSIONS  CALLS  INPUT   CACHED  WRITTEN  OUTPUT    COST
    claude-code         2     10    140  154,200   18,300   2,200  ~$0.15
    pi                  1      6  7,200    4,800        0     540   $0.03
    codex               1      1  1,138    3,072        0     186  ~$0.01
    total               4     17  8,478  162,072   18,300   2,926  ~$0.19
    $ sess config prices gpt-5.5=1000/1000/1000
    Set prices to gpt-5.5=1000/1000/1000 for the user (was not set)
    ! go back with: sess config --unset prices
    $ sess stats --by model
    MODEL              SESSIONS  CALLS  INPUT   CACHED  WRITTEN  OUTPUT    COST
    gpt-5.5                   1      1  1,138    3,072        0     186  ~$4.40
    claude-sonnet-4-5         3     16  7,340  159,000   18,300   2,740  ~$0.18
    total                     4     17  8,478  162,072   18,300   2,926  ~$4.58
    "
  `)
})

it('sums up tokens and costs of a session by day and model', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  const [{ id } = { id: '' }] = (await shell.run('sess ls --json')).stdout
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { id: string; tokens: object | null }]))
    .filter(({ tokens }) => tokens !== null)
  const { rows, total } = JSON.parse((await shell.run(`sess stats ${id} --json`)).stdout) as {
    rows: { day: string; model: string; calls: number }[]
    total: { calls: number }
  }
  expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(total.calls)
  expect((await shell.run(`sess stats ${id}`)).stdout).toMatch(/^DAY +MODEL +CALLS .*\n\d{4}-\d\d-\d\d  /)
  expect((await shell.run(`sess stats ${id} --by day`)).code).not.toBe(0)
})
