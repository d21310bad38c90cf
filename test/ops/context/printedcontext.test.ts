import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { jsonText } from '../../../src/model/json.ts'
import { type ContextNotes, contextOf, requestOf } from '../../../src/ops/context/context.ts'
import { piContextOf } from '../../../src/ops/context/picontext.ts'
import {
  type ContextHead,
  contextMessages,
  contextPieces,
  type PrintedFormat,
} from '../../../src/ops/context/printedcontext.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { newStore } from '../../support/corpus.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'

const FORMATS: readonly PrintedFormat[] = ['json', 'pi', 'anthropic', 'openai', 'openai-chat']
const long = (of: string): string => `${of} "\\\n\ud800é`.repeat(400)

/** Returns a store with a session of each kind whose texts are long. */
async function storeOfLongTexts(): Promise<{ readonly repo: Repo; readonly sessions: readonly string[] }> {
  const folder = newFolder()
  const store = await newStore(join(folder, 'store'))
  const native = await store.createSession()
  await native.appendAll([
    { body: { role: 'user', content: long('ask') } },
    {
      body: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: long('thought') },
          { type: 'toolCall', id: 'x', name: 'edit', arguments: { path: 'a', edits: [{ to: long('to') }] } },
        ],
      },
    },
    { body: { role: 'tool', content: [{ type: 'toolResult', id: 'x', text: long('result') }] } },
    { body: { role: 'user', content: [{ type: 'image', data: 'AAAA'.repeat(900), mimeType: 'image/png' }] } },
    { body: { role: 'assistant', content: [{ type: 'text', text: long('answer') }] } },
  ])
  const line = (uuid: string, parentUuid: string | null, type: string, content: unknown) =>
    JSON.stringify({ uuid, parentUuid, type, sessionId: 'c', message: { role: type, content } })
  const file = join(folder, 'c.jsonl')
  writeFileSync(
    file,
    [
      line('1', null, 'user', long('first')),
      line('2', '1', 'assistant', [
        { type: 'tool_use', id: 't', name: 'Bash', input: { command: long('run') } },
      ]),
      line('3', '2', 'user', [{ type: 'tool_result', tool_use_id: 't', content: long('ran') }]),
      line('4', '3', 'user', long('last')),
    ].join('\n'),
  )
  await store.import([file, join(import.meta.dirname, '../../demo/sessions')])
  const sessions = (await store.sessions()).map(({ id }) => id)
  await store.close()
  return { repo: await openRepo(join(folder, 'store')), sessions }
}

it('prints a context as the library returns it, in every format and within every budget', async () => {
  const { repo, sessions } = await storeOfLongTexts()
  expect(sessions.length).toBe(7)
  for (const session of sessions)
    for (const budget of [undefined, 2, 1500, 3000])
      for (const format of FORMATS) {
        const options = budget === undefined ? {} : { budget }
        const whole =
          format === 'json'
            ? await contextOf(repo, session, options)
            : format === 'pi'
              ? await piContextOf(repo, session, options)
              : await requestOf(repo, session, format, options)
        let notes: unknown
        let printed = ''
        const keep = (of: unknown): void => void (notes = of)
        for await (const piece of contextPieces(repo, session, format, { ...options, isNoted: true }, keep))
          printed += piece
        expect(printed).toBe(jsonText(whole as never))
        if (format !== 'pi') {
          const { repairs, left, tokens } = whole as ContextNotes
          expect(notes).toMatchObject({ repairs, left, tokens })
        }
      }
  await repo.close()
})

it('reads the messages of a context one by one', async () => {
  const { repo, sessions } = await storeOfLongTexts()
  for (const session of sessions) {
    const { messages, ...rest } = await contextOf(repo, session)
    let head: ContextHead | undefined
    const read: unknown[] = []
    for await (const message of contextMessages(repo, session, {}, (of) => void (head = of)))
      read.push(message)
    expect(read).toEqual(messages)
    expect(head).toEqual({ ...rest, count: messages.length })
  }
  await repo.close()
})
