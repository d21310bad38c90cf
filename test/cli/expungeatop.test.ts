import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sampled } from '../support/amount.ts'
import { standsIn } from '../support/everybyte.ts'
import { GITHUB } from '../support/secrets.ts'
import { Shell } from '../support/shell.ts'

const LONG = 'word by word '.repeat(400)

const claude = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}): string =>
  `${JSON.stringify({
    type: 'user',
    uuid,
    parentUuid,
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content },
    ...more,
  })}\n`

const pi = [
  { type: 'session', version: 3, id: 'p1', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/work' },
  ...[`Use ${GITHUB}`, `${LONG}${GITHUB}`].map((content, i) => ({
    type: 'message',
    id: `0000000${i}`,
    parentId: i === 0 ? null : '00000000',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content: [{ type: 'text', text: content }], timestamp: 1767225600000 },
  })),
].map((line) => `${JSON.stringify(line)}\n`)

const aider = (...said: readonly string[]): string =>
  `\n# aider chat started at 2026-01-01 00:00:00\n\n${said.map((text) => `#### ${text}\n\nWell: ${text}\n\n`).join('')}`

it.each(sampled([true, false], 1))(
  'shows what was expunged as expunged at every point in time (gc before: %s)',
  async (collects) => {
    const shell = new Shell({ samples: false })
    const write = (name: string, text: string): void => writeFileSync(shell.path(name), text)
    const first =
      claude('u1', null, `Use ${GITHUB}`) +
      claude('u2', 'u1', `${LONG}${GITHUB}`, { toolUseResult: { stdout: LONG + GITHUB } })
    await shell.run('sess init')
    // Each operation names other heads, tails and tips than the next one.
    write('s1.jsonl', `${first}{"torn": "${GITHUB}`)
    write('p1.jsonl', pi.slice(0, 2).join(''))
    write('.aider.chat.history.md', aider(`say ${GITHUB}`))
    await shell.run('sess import s1.jsonl p1.jsonl .aider.chat.history.md')
    write('s1.jsonl', `${first}{"torn": "${GITHUB}"}\nno JSON ${GITHUB}\n{"again": "${LONG}${GITHUB}`)
    write('p1.jsonl', pi.join(''))
    write('.aider.chat.history.md', aider(`say ${GITHUB}`, `and ${GITHUB}`))
    await shell.run('sess import s1.jsonl p1.jsonl .aider.chat.history.md')
    // The words of the first message are replaced, so that the former ones are superseded.
    write('s1.jsonl', `${first.replace('Use ', 'Rather use ')}{"again": "${LONG}${GITHUB}"}\n`)
    await shell.run('sess import s1.jsonl')
    await shell.run('sess append s1 --role user', { stdin: [`once more ${GITHUB}`] })
    await shell.run('sess append p1 --role user', { stdin: [`${LONG}${GITHUB}`] })
    await shell.run('sess undo')
    await shell.run('sess export p1 --format codex --to-agent')
    await shell.run(`sess rename s1 "With ${GITHUB}"`)
    await shell.run('sess fork s1 --title Forked')
    await shell.run('sess rm Forked')
    if (collects) await shell.run('sess gc --grace now')
    expect((await shell.run('sess expunge --yes --secret -', { stdin: [GITHUB] })).code).toBe(0)
    if (collects) expect((await shell.run('sess gc --grace now')).code).toBe(0)
    const [entry = ''] = (await shell.run('sess log p1 --json')).stdout.split('\n')
    expect(
      (await shell.run(`sess expunge --yes --force ${(JSON.parse(entry) as { oid: string }).oid}`)).code,
    ).toBe(0)
    expect(await standsIn(shell.path('.sess'), GITHUB)).toEqual([])
    const { stdout } = await shell.run('sess op log --json')
    const numbers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { number: number }).number)
    expect(numbers.length).toBeGreaterThan(9)
    for (const at of sampled(numbers, 6)) {
      const sessions = (await shell.run(`sess ls --json --at-op ${at}`)).stdout
        .trimEnd()
        .split('\n')
        .filter(Boolean)
      for (const session of sessions) {
        const { id } = JSON.parse(session) as { id: string }
        for (const command of ['show', 'log', 'context', 'export']) {
          const { code, output } = await shell.main([command, id, '--at-op', `${at}`])
          expect([
            at,
            command,
            id,
            code,
            output.includes(GITHUB) ? 'told' : output.slice(0, code * 200),
          ]).toEqual([at, command, id, 0, ''])
        }
      }
      const checked = await shell.run(`sess fsck --at-op ${at}`)
      expect([at, checked.code, checked.stdout]).toEqual([at, 0, expect.stringMatching(/^all is well/)])
    }
  },
)
