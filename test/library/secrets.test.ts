import { expect, it } from 'vitest'
import { openStore, type Secret } from '../../src/index.ts'
import { collected } from '../../src/model/async.ts'
import { newFolder } from '../support/folder.ts'

const TOKEN = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

async function sessionThatSays(...texts: readonly string[]) {
  const store = await openStore(newFolder(), { create: true })
  const session = await store.createSession()
  await session.appendAll(texts.map((content) => ({ body: { role: 'user', content } })))
  return { store, session }
}

it('secrets are those that the rules of sess recognise, unless a function is passed', async () => {
  const { store, session } = await sessionThatSays(`my token is ${TOKEN}`, 'the word is xyzzy-plugh-42')
  await using _ = store
  const found = await collected(store.scan())
  expect(new Set(found.map(({ masked }) => masked.slice(0, 4)))).toEqual(new Set(['ghp_']))
  const find = (text: string): Secret[] =>
    [...text.matchAll(/xyzzy-plugh-42/g)].map(({ index }) => ({
      rule: 'word',
      start: index,
      end: index + 14,
    }))
  expect((await collected(store.scan({ find }))).map(({ rule }) => rule)).toEqual(['word'])

  const copies = [await store.redact(session.id), await store.redact(session.id, { find })]
  expect(copies.map(({ secrets }) => secrets.length)).toEqual([1, 1])
  const texts = copies.map(async ({ session: id }) => {
    const chunks = await collected(store.export(id as string))
    return Buffer.concat(chunks).toString()
  })
  const [byRules, byFunction] = await Promise.all(texts)
  expect([byRules?.includes(TOKEN), byRules?.includes('xyzzy')]).toEqual([false, true])
  expect([byFunction?.includes(TOKEN), byFunction?.includes('xyzzy')]).toEqual([true, false])
})

it('a secret is removed by its mark, and progress is reported', async () => {
  const { store, session } = await sessionThatSays(`my token is ${TOKEN}`)
  await using _ = store
  const [found] = await collected(store.scan())
  const steps = new Set<string>()
  const marks = [found?.secret as string]
  const done = await store.expunge({ marks, onProgress: ({ step }) => steps.add(step) })
  expect([done.entries.length, done.secrets]).toEqual([1, marks])
  expect([...steps]).toContain('searching')
  expect((await store.show(session.id)).text).not.toContain(TOKEN)
})

it('an export masks what a function finds, and hands out chunks that stay', async () => {
  const [first, second] = ['x', 'y'].map((letter) => letter.repeat(200_000)) as [string, string]
  const { store, session } = await sessionThatSays(TOKEN, first, second)
  await using _ = store
  const exported = async (options = {}): Promise<string> =>
    Buffer.concat(await collected(store.export(session.id, options))).toString()
  const whole = await exported()
  expect([TOKEN, first, second].map((text) => whole.includes(text))).toEqual([true, true, true])
  const masked = await exported({ redact: () => [], secrets: ['xyzzy-plugh-42', TOKEN] })
  expect([TOKEN, first, second].map((text) => masked.includes(text))).toEqual([false, true, true])
})
