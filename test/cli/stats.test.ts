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
      "blobs": 1,
      "entries": 56,
      "records": 98,
      "sessions": 5,
      "sourceBytes": 43015,
      "storeBytes": true,
    }
  `)
})
