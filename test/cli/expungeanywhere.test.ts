import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { standsIn } from '../support/everybyte.ts'
import { GITHUB } from '../support/secrets.ts'
import { Shell } from '../support/shell.ts'

/** A secret as others write it: parts of it that nobody else says. */
const PARTS = [GITHUB, GITHUB.slice(8, 24), Buffer.from(GITHUB.slice(3)).toString('base64').slice(4, 24)]

const line = (uuid: string, parentUuid: string | null, message: string, more = ''): string =>
  `{"type":"user","uuid":"${uuid}","parentUuid":${JSON.stringify(parentUuid)},"sessionId":"s1",${more}"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":${message}}}\n`

const units = GITHUB.replace(/[a-m]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)
const text = (bytes: string): string =>
  JSON.stringify([
    {
      type: 'document',
      source: { type: 'base64', media_type: 'text/plain', data: Buffer.from(bytes).toString('base64') },
    },
  ])

/** Lines in which a secret stands in every way but as it is. */
const LINES = [
  line('u1', null, `"${units}"`),
  line('u2', 'u1', JSON.stringify(JSON.stringify({ path: `/x/${units}` }).replaceAll('/', '\\/'))),
  line('u3', 'u2', text(`a short file: ${GITHUB}`)),
  line('u4', 'u3', text(`${'a long file '.repeat(300)}${GITHUB}${' goes on'.repeat(300)}`)),
  line('u5', 'u4', '"in a key"', `"toolUseResult":{"${units}":[{"${GITHUB}":1}]},`),
  line('u6', 'u5', `"https://example.com/?q=${encodeURIComponent(`${GITHUB}/`).replace('g', '%67')}"`),
  line('u7', 'u6', `"Authorization: Basic ${Buffer.from(`me:${GITHUB}`).toString('base64')}"`),
  line('u8', 'u7', `"kept as text"`, `"n":1e400,"__proto__":{"x":"${units}"},`),
  `${units} is not JSON\n`,
].join('')

const expectGone = async (shell: Shell): Promise<void> => {
  for (const part of PARTS) expect([part, await standsIn(shell.path('.sess'), part)]).toEqual([part, []])
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
}

it('goes and stays away however it was written', async () => {
  const shell = new Shell({ samples: false })
  writeFileSync(shell.path('s1.jsonl'), `${LINES}{"torn": "${units}`)
  mkdirSync(shell.path('s1', 'subagents'), { recursive: true })
  writeFileSync(shell.path('s1', 'subagents', 'agent-a1.jsonl'), LINES)
  await shell.run('sess init')
  expect((await shell.run('sess import s1.jsonl s1')).code).toBe(0)
  await shell.run(`sess append s1 --role user`, { stdin: ['the newest, small commit: ', GITHUB] })
  await shell.run(`sess set s1 key=${GITHUB}`)
  await shell.run(`sess branch s1 ${GITHUB}`)
  await shell.run(`sess label ${GITHUB} s1`)
  await shell.run(`sess config summarizer "curl -H ${GITHUB}" --store .sess`)
  const before = (await shell.run('sess ls-objects')).stdout
  expect((await standsIn(shell.path('.sess'), GITHUB)).length).toBeGreaterThan(5)
  expect((await shell.run('sess expunge --yes --secret -', { stdin: [GITHUB] })).code).toBe(0)
  await expectGone(shell)
  expect((await shell.run('sess ls-objects')).stdout).toBe(before)
  expect((await shell.run('sess export s1')).stdout.match(/\[expunged:7f8dfb7e\]/g)?.length).toBe(11)

  appendFileSync(shell.path('s1.jsonl'), `"}\n${LINES.replaceAll('"u', '"v')}`)
  writeFileSync(shell.path('s2.jsonl'), LINES.replaceAll('"s1"', '"s2"'))
  expect((await shell.run('sess import s1.jsonl s2.jsonl s1')).code).toBe(0)
  for (const way of [GITHUB, units, Buffer.from(`xy${GITHUB}`).toString('base64')])
    await shell.run('sess append s2 --role user', { stdin: [`said anew: ${way}`] })
  await shell.run(`sess set s2 key=${GITHUB}`)
  await shell.run(`sess rename s2 "${GITHUB}"`)
  await expectGone(shell)
}, 120_000)

it('takes along what was set aside, and databases of former generations', async () => {
  const shell = new Shell({ samples: false })
  writeFileSync(shell.path('s1.jsonl'), LINES)
  await shell.run('sess init')
  await shell.run('sess import s1.jsonl')
  await shell.run('sess append s1 --role user', { stdin: [GITHUB] })
  expect((await shell.run('sess fsck --repair')).code).toBe(0)
  const store = shell.path('.sess')
  mkdirSync(join(store, 'broken', '2026-01-01T00-00-00.000Z'), { recursive: true, mode: 0o700 })
  const current = join(store, 'db.2')
  renameSync(join(store, 'db.1'), current)
  writeFileSync(join(store, 'generation'), '2\n')
  cpSync(current, join(store, 'broken', '2026-01-01T00-00-00.000Z', 'database'), { recursive: true })
  cpSync(current, join(store, 'db.1'), { recursive: true })
  const told = await shell.run('sess expunge -n --secret -', { stdin: [GITHUB] })
  expect(told.stderr).toContain(
    'quarantined files would be removed with it: /home/ada/.sess/broken/2026-01-01',
  )
  const done = await shell.run('sess expunge --yes --json --secret -', { stdin: [GITHUB] })
  expect(JSON.parse(done.stdout)).toMatchObject({
    left: [],
    aside: ['/home/ada/.sess/broken/2026-01-01T00-00-00.000Z'],
  })
  expect(readdirSync(store).filter((name) => name.startsWith('db.')).length).toBe(1)
  for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' }))
    expect([name, name.includes('broken/')]).toEqual([name, false])
  await expectGone(shell)
  expect(readFileSync(shell.path('s1.jsonl'), 'utf8')).toBe(LINES)
})
