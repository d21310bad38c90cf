import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadSecretList } from '../../src/index.ts'
import { decodedTexts } from '../../src/model/secrets/spellings.ts'
import { filesOf } from '../../src/model/toolinput.ts'
import { ALL, sampled } from '../support/amount.ts'
import { newStore } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

const MIB = 2 ** 20

/** How many bytes a text has: with volume as many as make an engine give up that remembers each one. */
const SIZE = (ALL ? 30 : 1) * MIB

const CHARACTERS = ['a', '\n', '中', '-', ' ', 'é', '"', '`', '> ', 'a b ']

/** How often a text repeats its characters: a line beyond so many bytes would be kept unread. */
const timesOf = (characters: string): number =>
  Math.floor(SIZE / (Buffer.byteLength(JSON.stringify(characters)) - 2))

/** Some formats of several shapes; each takes seconds for such a text. */
const WRITTEN = ['markdown', 'claude-code', 'pi']

const line = (uuid: string, parentUuid: string | null, message: object): string =>
  JSON.stringify({
    type: (message as { role: string }).role,
    uuid,
    parentUuid,
    sessionId: 's',
    cwd: '/w',
    timestamp: '2026-01-01T00:00:00.000Z',
    message,
  })

/** A conversation in which one text is a prompt, an answer, a command and its result. */
function conversation(text: string): string {
  const part = text.slice(0, Math.floor(text.length / 4))
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: `cat ${part}` } }
  const plan = {
    type: 'tool_use',
    id: 'p',
    name: 'TodoWrite',
    input: { todos: [{ content: part, status: 'x' }] },
  }
  return [
    line('a', null, { role: 'user', content: 'hello' }),
    line('b', 'a', {
      role: 'assistant',
      id: 'm',
      model: 'x',
      content: [{ type: 'text', text: part }, call, plan],
    }),
    line('c', 'b', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: part }] }),
    line('d', 'c', { role: 'user', content: text }),
  ].join('\n')
}

describe('a text of many MiB', () => {
  it.each(sampled(CHARACTERS, 2))(
    'of %j is imported, searched, compared, redacted and exported',
    { timeout: 300_000 },
    async (one) => {
      const dir = newFolder()
      const path = join(dir, 's.jsonl')
      writeFileSync(path, conversation(one.repeat(timesOf(one))))
      const store = await newStore()
      const { files } = await store.import(path)
      expect(files).toMatchObject([{ session: 's', entries: 4 }])
      const find = await loadSecretList()
      for await (const found of store.scan({ find })) expect(found).toBeUndefined()
      expect((await store.search('hello')).hits).toHaveLength(1)
      for (const query of ['re:x+y', 're:(a|é)+z$']) expect((await store.search(query)).hits).toEqual([])
      await store.search('aaa')
      for await (const entry of store.log('s', {})) expect(entry.session).toBe('s')
      expect((await store.diff('s~1', 's')).base).not.toBeNull()
      await store.show('s')
      await store.redact('s', { find })
      await store.handoff('say hello', 's')
      for (const name of WRITTEN) {
        let bytes = 0
        for await (const chunk of store.export('s', { format: name, redact: find })) bytes += chunk.length
        expect([name, bytes > 0]).toEqual([name, true])
      }
      expect((await store.fsck()).findings).toEqual([])
      await store.close()
    },
  )
})

describe('what is looked for in a long text', () => {
  it('is a repaired string with raw control characters', async () => {
    const path = join(newFolder(), 's.jsonl')
    writeFileSync(
      path,
      `${line('a', null, { role: 'user', content: `${'é'.repeat(ALL ? 4 * MIB : MIB)}\\n` }).replace('\\\\n', '\n')}\n`,
    )
    const store = await newStore()
    expect((await store.import(path)).files).toMatchObject([{ entries: 1, salvaged: 1 }])
    await store.close()
  })

  it.each(sampled(['a', '-', '>', '\n'], 2))('is a secret, also in a long run of %j', (one) => {
    const spelled = encodeURIComponent('the secret words').replaceAll('s', '%73')
    const found = [...decodedTexts(`${one.repeat((ALL ? 30 : 4) * MIB)} ${spelled}`)]
    expect(found.some((text) => text.endsWith('the secret words'))).toBe(true)
  })

  it('is a file that a command reads', () => {
    const command = `cat ${'a '.repeat(8 * MIB)}; cat "${'x'.repeat(30_000)} y."`
    expect(filesOf({ kind: 'toolCall', id: 'c', name: 'Bash', input: { command } })).toEqual([])
    const quoted = `cat "${'x'.repeat(60_000)} y."`
    expect(filesOf({ kind: 'toolCall', id: 'c', name: 'Bash', input: { command: quoted } })).toEqual([])
  })

  it('is the end of an answer of aider, and the parent of a session of pi', async () => {
    const dir = newFolder()
    const chat = `# aider chat started at 2026-01-01 00:00:00\n\n#### hi  \n\n${'\n'.repeat(ALL ? MIB : MIB / 32)}x\n`
    writeFileSync(join(dir, '.aider.chat.history.md'), chat)
    const parentSession = `${'a'.repeat(MIB / 8)}_`
    const header = {
      type: 'session',
      version: 3,
      id: 'p',
      timestamp: '2026-01-01T00:00:00.000Z',
      cwd: '/w',
      parentSession,
    }
    writeFileSync(join(dir, 'p.jsonl'), `${JSON.stringify(header)}\n`)
    const store = await newStore()
    const { files } = await store.import([join(dir, '.aider.chat.history.md'), join(dir, 'p.jsonl')])
    expect(files.map(({ format }) => format).sort()).toEqual(['aider', 'pi'])
    await store.close()
  })
})
