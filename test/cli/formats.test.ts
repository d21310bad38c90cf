import { appendFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

const user = (more: object = {}): object => ({
  ...{ type: 'user', uuid: 'u1', parentUuid: null, sessionId: 'c1', timestamp: '2026-01-01T00:00:00.000Z' },
  ...{ cwd: '/w', version: '99.3.0', message: { role: 'user', content: 'Hi' } },
  ...more,
})

/** A shell with a file of a Claude Code that is newer than its page. */
function newer(): Shell {
  const shell = new Shell()
  const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`lamp_${name}`, 1]))
  writeFileSync(
    shell.path('c1.jsonl'),
    lines(
      user({ lamp: 1 }),
      { type: 'lamp-state', sessionId: 'c1' },
      { type: 'lamp-state', sessionId: 'c1' },
    ),
  )
  writeFileSync(
    shell.path('c2.jsonl'),
    lines(user({ sessionId: 'c2', version: '2.1.9', message: { role: 'user', content: 'Hi', ...many } })),
  )
  return shell
}

it('says at import, in one line, what is kept but not understood', async () => {
  const shell = newer()
  expect(await shell.type('sess import c1.jsonl')).toMatchInlineSnapshot(`
    "$ sess import c1.jsonl
    c1.jsonl
      claude-code session c1: 1 entry in 3 records, all new
    1 record type and 1 field of claude-code 99.3.0 are kept but not understood: lamp-state, lamp
    1 file, 260 bytes, 1 session: 1 entry in 3 records, all new
    "
  `)
  expect(await shell.type('sess import c2.jsonl -n')).toMatchInlineSnapshot(`
    "$ sess import c2.jsonl -n
    c2.jsonl
      claude-code session c2: 1 entry in 1 record, nothing new
    6 fields of claude-code 2.1.9 are kept but not understood: message.lamp_a, message.lamp_b, message.lamp_c, message.lamp_d, message.lamp_e, and 1 more: sess formats claude-code
    would import 1 file, 238 bytes, 1 session: 1 entry in 1 record, nothing new
    ! dry run: nothing was written
    "
  `)
  expect(await shell.type('sess import c1.jsonl c2.jsonl -q')).toMatchInlineSnapshot(`
    "$ sess import c1.jsonl c2.jsonl -q
    "
  `)
  expect(await shell.type('sess import c1.jsonl')).not.toContain('understood')
})

it('lists it as data of each file, and of all files of a format', async () => {
  const { stdout } = await newer().run('sess import c1.jsonl c2.jsonl --json')
  const values = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(
    values.map(({ path, format, version, unknown }) => ({
      file: path !== undefined,
      format,
      version,
      unknown,
    })),
  ).toMatchInlineSnapshot(`
    [
      {
        "file": true,
        "format": "claude-code",
        "unknown": {
          "fields": [
            [
              "lamp",
              1,
            ],
          ],
          "types": [
            [
              "lamp-state",
              2,
            ],
          ],
        },
        "version": "99.3.0",
      },
      {
        "file": true,
        "format": "claude-code",
        "unknown": {
          "fields": [
            [
              "message.lamp_a",
              1,
            ],
            [
              "message.lamp_b",
              1,
            ],
            [
              "message.lamp_c",
              1,
            ],
            [
              "message.lamp_d",
              1,
            ],
            [
              "message.lamp_e",
              1,
            ],
            [
              "message.lamp_f",
              1,
            ],
          ],
          "types": [],
        },
        "version": "2.1.9",
      },
      {
        "file": false,
        "format": "claude-code",
        "unknown": {
          "fields": [
            [
              "lamp",
              1,
            ],
            [
              "message.lamp_a",
              1,
            ],
            [
              "message.lamp_b",
              1,
            ],
            [
              "message.lamp_c",
              1,
            ],
            [
              "message.lamp_d",
              1,
            ],
            [
              "message.lamp_e",
              1,
            ],
            [
              "message.lamp_f",
              1,
            ],
          ],
          "types": [
            [
              "lamp-state",
              2,
            ],
          ],
        },
        "version": "99.3.0",
      },
      {
        "file": false,
        "format": undefined,
        "unknown": undefined,
        "version": undefined,
      },
    ]
  `)
})

it('lists the versions that formats were written for, those seen, and what is not understood', async () => {
  const shell = newer()
  await shell.run('sess import c1.jsonl c2.jsonl sessions')
  const all = await shell.type('sess formats')
  expect(all.split('\n').slice(0, 5).join('\n')).toMatchInlineSnapshot(`
    "$ sess formats
    FORMAT         WRITTEN FOR  NEWEST SEEN  SESSIONS    NOT UNDERSTOOD
    claude-code        2.1.278       99.3.0         4  1 type, 7 fields
    claude-web         2.1.278            -         0                 -
    codex              0.160.0      0.142.5         2                 -"
  `)
  expect(await shell.type('sess formats claude')).toMatchInlineSnapshot(`
    "$ sess formats claude
    FORMAT       WRITTEN FOR  NEWEST SEEN  SESSIONS    NOT UNDERSTOOD
    claude-code      2.1.278       99.3.0         4  1 type, 7 fields

    record types of claude-code
      lamp-state  2  in c1

    fields of claude-code
      lamp            1  in c1
      message.lamp_a  1  in c2
      message.lamp_b  1  in c2
      message.lamp_c  1  in c2
      message.lamp_d  1  in c2
      message.lamp_e  1  in c2
      message.lamp_f  1  in c2
    "
  `)
  expect(await shell.type('sess formats codex')).toMatchInlineSnapshot(`
    "$ sess formats codex
    FORMAT  WRITTEN FOR  NEWEST SEEN  SESSIONS  NOT UNDERSTOOD
    codex       0.160.0      0.142.5         2               -
    "
  `)
  expect(await shell.type('sess formats claude-code --json')).toMatchInlineSnapshot(`
    "$ sess formats claude-code --json
    {"format":"claude-code","written":"2.1.278","seen":"99.3.0","newer":true,"sessions":4,"types":[{"name":"lamp-state","count":2,"sessions":["c1"]}],"fields":[{"name":"lamp","count":1,"sessions":["c1"]},{"name":"message.lamp_a","count":1,"sessions":["c2"]},{"name":"message.lamp_b","count":1,"sessions":["c2"]},{"name":"message.lamp_c","count":1,"sessions":["c2"]},{"name":"message.lamp_d","count":1,"sessions":["c2"]},{"name":"message.lamp_e","count":1,"sessions":["c2"]},{"name":"message.lamp_f","count":1,"sessions":["c2"]}],"more":0}
    "
  `)
  expect(await shell.type('sess formats claud')).toMatchInlineSnapshot(`
    "$ sess formats claud
    ! sess: no format is called 'claud'
    ! hint: did you mean 'claude-code' or 'claude-web'? sess knows claude-code, claude-web, codex, codex-json, dash, rollouts, index-tree, uuid-tree, openclaw, oh-my-pi, pi, gemini-cli, qwen-code, kimi, grok, grok-updates, kiro, vibe, antigravity, windsurf, copilot-cli, droid, cursor, clawdbot, amp, continue, cline, cline-cli, kilo, opencode, crush, goose, kiro-database, cursor-chat
    exit 2
    "
  `)
})

it('follows a file that grows, and undo', async () => {
  const shell = newer()
  await shell.run('sess import c1.jsonl')
  appendFileSync(shell.path('c1.jsonl'), lines(user({ uuid: 'u2', parentUuid: 'u1', lamp: 2 })))
  const lamps = async (): Promise<unknown> =>
    (JSON.parse((await shell.run('sess formats claude-code --json')).stdout) as { fields: unknown }).fields
  await shell.run('sess import c1.jsonl')
  expect(await lamps()).toEqual([{ name: 'lamp', count: 2, sessions: ['c1'] }])
  await shell.run('sess undo')
  expect(await lamps()).toEqual([{ name: 'lamp', count: 1, sessions: ['c1'] }])
})

it('neutralises names from transcripts', async () => {
  const shell = new Shell()
  const name = '\u001b[31mlamp\u202e\n'
  writeFileSync(shell.path('c1.jsonl'), lines(user({ [name]: 1 }), { type: name, sessionId: 'c1' }))
  for (const command of ['sess import c1.jsonl', 'sess formats claude-code']) {
    const said = await shell.type(command)
    expect(said).toContain('lamp')
    for (const unsafe of ['\u001b', '\u202e']) expect(said).not.toContain(unsafe)
  }
})
