import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ED25519, GITHUB, OTHER_GITHUB, SHOPIFY, SPELLED } from '../support/secrets.ts'
import { Shell } from '../support/shell.ts'

/** A shell with a session whose prompt, result and title hold secrets, and the sample sessions, which hold none. */
async function told(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.main(['append', '--new', '--title', `Use ${SHOPIFY}`, '--role', 'user'], {
    stdin: [`My token is ${GITHUB}, do not lose it`],
  })
  await shell.main(['append', `Use ${SHOPIFY}`, '--role', 'assistant'], { stdin: ['I shall not'] })
  return shell
}

it('tells where secrets stand, and never what they are', async () => {
  const shell = await told()
  const all = await shell.type('sess scan')
  expect(all).toMatchInlineSnapshot(`
    "$ sess scan
    7f8dfb7e c5870e9aba 019de369-e060-7617-9819-1a1b1c1d1e1f  github ghp_… (40 characters)  content
    013991ac - 019de369-e060-7617-9819-1a1b1c1d1e1f  shopify shpa… (38 characters)  title
    7f8dfb7e - 019de369-e060-7617-9819-1a1b1c1d1e1f  github ghp_… (40 characters)  prompt
    013991ac - -  shopify shpa… (38 characters)  operation 3.command
    013991ac - -  shopify shpa… (38 characters)  operation 2.command
    013991ac - -  shopify shpa… (38 characters)  operation 2.moves[1].title
    7f8dfb7e - -  github ghp_… (40 characters)  operation 2.moves[1].prompt
    ! 2 secrets in 7 places, of 58 entries and 100 records
    ! hint: revoke them; 'sess export --redact' and 'sess redact' make copies without them
    ! hint: turn this hint off with: sess config hints.scan false
    exit 1
    "
  `)
  expect(all).not.toContain(GITHUB)
  expect(all).not.toContain(SHOPIFY)
})

it('looks into sessions, ranges and entries alone where they are named', async () => {
  const shell = await told()
  expect(await shell.type('sess scan 3b1f')).toMatchInlineSnapshot(`
    "$ sess scan 3b1f
    ! no secret was found in 22 entries and 25 records
    "
  `)
  const title = `Use ${SHOPIFY}`
  expect((await shell.main(['scan', `${title}~1..${title}`])).stdout).toBe('')
  expect((await shell.main(['scan', `${title}~1`])).stdout).toMatch(
    /github ghp_… \(40 characters\) {2}content/,
  )
})

it('gives a line of JSON for each place', async () => {
  const shell = await told()
  const { stdout, code } = await shell.run('sess scan --json')
  expect(code).toBe(1)
  const found = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { rule: string; field: string; secret: string })
  expect(found.map(({ rule, field }) => `${rule} ${field.replace(/\d+/, 'N')}`)).toEqual([
    'github content',
    'shopify title',
    'github prompt',
    'shopify operation N.command',
    'shopify operation N.command',
    'shopify operation N.moves[1].title',
    'github operation N.moves[1].prompt',
  ])
  expect(new Set(found.map(({ secret }) => secret)).size).toBe(2)
})

it('finds what stands in records beside what was said, in names, and in what is no JSON', async () => {
  const shell = new Shell({ samples: false })
  const line = {
    type: 'user',
    uuid: 'u1',
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content: 'hello' },
    toolUseResult: { [OTHER_GITHUB]: { stdout: GITHUB, signature: SHOPIFY } },
  }
  writeFileSync(shell.path('s1.jsonl'), `${JSON.stringify(line)}\nno JSON ${SHOPIFY}\n`)
  await shell.run('sess import s1.jsonl')
  const { stdout } = await shell.run('sess scan')
  expect(stdout).not.toContain(OTHER_GITHUB)
  expect(stdout).toMatchInlineSnapshot(`
    "ad17e5d8 576121cb4a s1  github ghp_… (40 characters)  toolUseResult
    7f8dfb7e 576121cb4a s1  github ghp_… (40 characters)  toolUseResult.[redacted:github:ad17e5d8].stdout
    013991ac - s1  shopify shpa… (38 characters)  bytes
    013991ac 576121cb4a s1  shopify shpa… (38 characters)  toolUseResult.[redacted:github:ad17e5d8].signature
    "
  `)
})

const user = (uuid: string, parentUuid: string | null, content: string): string =>
  `${JSON.stringify({
    type: 'user',
    uuid,
    parentUuid,
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content },
  })}\n`

it('reports every place of a secret that it recognises in one of them', async () => {
  const shell = new Shell({ samples: false })
  const ways = Object.entries(SPELLED)
  const texts = ways.map(([name, spell]) => `${name}: ${spell(GITHUB)}`)
  writeFileSync(
    shell.path('s1.jsonl'),
    [`Use ${GITHUB}`, ...texts].map((text, i) => user(`u${i}`, i === 0 ? null : `u${i - 1}`, text)).join(''),
  )
  await shell.run('sess import s1.jsonl')
  const { stdout } = await shell.run('sess scan s1 --json')
  const found = stdout
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as { oid: string | null; secret: string })
  expect(new Set(found.map(({ secret }) => secret))).toEqual(new Set(['7f8dfb7e']))
  expect(new Set(found.flatMap(({ oid }) => oid ?? [])).size).toBe(1 + ways.length)
  expect((await shell.run(`sess scan s1~1..s1`)).code).toBe(0)
})

it('finds a key of a single line, and a token in a torn tail', async () => {
  const shell = new Shell({ samples: false })
  writeFileSync(shell.path('s1.jsonl'), `${user('u1', null, `my key:\n${ED25519}\n`)}{"torn": "${SHOPIFY}`)
  await shell.run('sess import s1.jsonl')
  expect((await shell.run('sess scan s1')).stdout).toMatchInlineSnapshot(`
    "2750879f 3bb67fb1cc s1  privatekey ----… (118 characters)  message.content
    013991ac - s1  shopify shpa… (38 characters)  tail
    2750879f - s1  privatekey ----… (118 characters)  prompt
    "
  `)
})

it('finds what only removed sessions and earlier operations hold', async () => {
  const shell = new Shell({ samples: false })
  const line = user('u1', null, 'hello')
  writeFileSync(shell.path('s1.jsonl'), `${line}{"torn": "${SHOPIFY}`)
  await shell.run('sess import s1.jsonl')
  writeFileSync(shell.path('s1.jsonl'), `${line}{"torn": "${SHOPIFY}"}\n`)
  await shell.run('sess import s1.jsonl')
  await shell.run('sess rm s1')
  expect((await shell.run('sess scan')).stdout).toMatchInlineSnapshot(`
    "013991ac - -  shopify shpa… (38 characters)  torn
    013991ac - -  shopify shpa… (38 characters)  operation 2.tail
    "
  `)
})
