import { afterEach, expect, it } from 'vitest'
import { FORMATS, type ListedFormat } from '../../src/formats/registry.ts'
import { Shell } from '../support/shell.ts'

const formats = FORMATS as ListedFormat[]
const all = [...formats]
afterEach(() => {
  formats.splice(0, formats.length, ...all)
})

it('reads again what the generic format took, and takes that back', async () => {
  const shell = new Shell()
  formats.splice(0, formats.length, ...all.filter(({ name }) => name !== 'pi'))
  await shell.run('sess import sessions/pi')
  formats.splice(0, formats.length, ...all)
  expect(await shell.type('sess import --reread -n')).toMatchInlineSnapshot(`
    "$ sess import --reread -n
    Session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 is read as pi, reading 1 (was jsonl, reading 1)
      15 entries in 18 records, 18 changed
      eb576cbd58 → nothing
      ac7c411378 → 0b1a5a0e87
      2a78519121 → bf269ecd56
      8c42fdffbf → 2608754591
      5bc6b6e5d7 → a6a5222043
      1b9de52cd9 → da92c074a5
      e49058112b → 819f25dda3
      0667693463 → b6be4a2836
      c5d8965d98 → b6be4a2836
      0a8c6a1ec6 → 6f13a4c27e
      5b60e45da0 → dfe9c488d2
      5170c9f489 → 602e3ec014
      334639d598 → ee044e52d9
      cbf9c20a56 → a0209d045e
      ac7510e75e → a0209d045e
      2dd8da0990 → 283d4aa753
      3b7280eb94 → dd442d3969
      3514e59cf2 → d46180147d
    ! dry run: nothing was written
    "
  `)
  expect(await shell.type('sess import --reread sessions/pi')).toMatchInlineSnapshot(`
    "$ sess import --reread sessions/pi
    Session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 is read as pi, reading 1 (was jsonl, reading 1)
      15 entries in 18 records, 18 changed
      eb576cbd58 → nothing
      ac7c411378 → 0b1a5a0e87
      2a78519121 → bf269ecd56
      8c42fdffbf → 2608754591
      5bc6b6e5d7 → a6a5222043
      1b9de52cd9 → da92c074a5
      e49058112b → 819f25dda3
      0667693463 → b6be4a2836
      c5d8965d98 → b6be4a2836
      0a8c6a1ec6 → 6f13a4c27e
      5b60e45da0 → dfe9c488d2
      5170c9f489 → 602e3ec014
      334639d598 → ee044e52d9
      cbf9c20a56 → a0209d045e
      ac7510e75e → a0209d045e
      2dd8da0990 → 283d4aa753
      3b7280eb94 → dd442d3969
      3514e59cf2 → d46180147d
    ! go back with: sess undo
    "
  `)
  expect(await shell.type('sess import --reread 019d4e07')).toMatchInlineSnapshot(`
    "$ sess import --reread 019d4e07
    Session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 stays: it was read as pi, reading 1, the newest
    "
  `)
  expect(await shell.type('sess import --reread')).toMatchInlineSnapshot(`
    "$ sess import --reread
    ! nothing to read again: 1 session read by the newest readers
    "
  `)
  expect(await shell.type('sess tree 019d4e07')).toMatchInlineSnapshot(`
    "$ sess tree 019d4e07
    @  d4618014 [main*]  All three use \`daily\` now. The slowest, Saint-Malo, takes 0.3 s.
    ●  dd442d39  Do the same for all harbours.
    ◆  283d4aa7  [compaction]  The forecast for Brest took 3.9 s because harmonics were computed every…
    :  5 entries, 2 tools, 71 tok
    ●  b6be4a28 [before-cache]  Compute them once a day and measure again.
    :  3 entries, 1 tool, 39 tok
    ●  26087545  Why is the forecast for Brest slow?
    :  1 entry
    ○  0b1a5a0e  model: claude-sonnet-4-5
    "
  `)
  expect(await shell.type('sess undo')).toMatchInlineSnapshot(`
    "$ sess undo
    Undid operation 2 (2026-05-01 12:02, 4 minutes ago): sess import --reread sessions/pi
        019d4e07-5b20-7d11-a6c2-93e1f04b7a65: its source  18 records -> 18 records
        session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65  format "pi" -> "jsonl", title "Slow forecast for Brest" -> none
        019d4e07-5b20-7d11-a6c2-93e1f04b7a65/main  d46180147d -> 3514e59cf2
      - 019d4e07-5b20-7d11-a6c2-93e1f04b7a65/before-cache  was b6be4a2836
    ! redo it with: sess redo
    "
  `)
  const { stdout } = await shell.run('sess import --reread --json')
  expect(JSON.parse(stdout)).toMatchObject({
    reread: { before: { format: 'jsonl', reading: 1 }, now: { format: 'pi', reading: 1 }, entries: 15 },
  })
})

it('refuses a session that is not there', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/pi')
  expect(await shell.type('sess import --reread nothing')).toMatchInlineSnapshot(`
    "$ sess import --reread nothing
    ! sess: no session is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('refuses what chooses among files, for it looks at none', async () => {
  const shell = new Shell()
  for (const option of ['--agent claude', '--format pi', '--since 3d', '--cwd .', '--all']) {
    const { code, stderr } = await shell.run(`sess import --reread ${option}`)
    expect([code, stderr]).toEqual([
      2,
      `sess: '--reread' and '${option.split(' ')[0]}' exclude each other\n` +
        "hint: type 'sess help import' to see how it is used\n",
    ])
  }
})
