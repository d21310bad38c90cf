import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type AppendInput, openStore, type PriceOf, type Session, type Store } from '../../src/index.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const opened = async (): Promise<{ store: Store; session: Session }> => {
  const store = await openStore(newFolder(), { create: true })
  return { store, session: await store.createSession({ title: 'Tea' }) }
}

const asked = { body: { role: 'user', content: 'Green or black?' } } as const

describe('append', () => {
  it('refuses a role that is unknown, at compile time and at run time', async () => {
    const { session } = await opened()
    // @ts-expect-error 'robot' is no role
    await expectFailure('bad-entry', () => session.append({ body: { role: 'robot', content: 'beep' } }))
    // @ts-expect-error 'robot' is no role, the type of a message spelled out
    const message = () => session.append({ type: 'sess/message', body: { role: 'robot', content: 'beep' } })
    await expectFailure('bad-entry', message)
    // @ts-expect-error 'robot' is no role
    const robots: AppendInput[] = [{ body: { role: 'robot', content: 'beep' } }]
    await expectFailure('bad-entry', () => session.appendAll(robots))
    // @ts-expect-error a message has content
    await expectFailure('bad-entry', () => session.append({ body: { role: 'user' } }))
  })

  it('takes any body of another type, and content of any blocks', async () => {
    const { store, session } = await opened()
    const note = await session.append({ type: 'note', body: { role: 'robot' } })
    const call = { type: 'toolCall', id: 'c', name: 'read', arguments: {} }
    const answer = await session.append({ body: { role: 'assistant', content: [call] } })
    expect((await store.show(note)).body).toEqual({ role: 'robot' })
    expect((await store.show(answer)).parents).toEqual([note])
  })
})

describe('an appended entry', () => {
  it('has the time and the native id that it is given', async () => {
    const { store, session } = await opened()
    const time = Date.UTC(2099, 1, 3)
    const first = await session.append({ ...asked, time, native: 'm1' })
    await session.appendAll([{ type: 'note', body: 'x', time: time - 1000 }])
    const [note, message] = [await store.show(session.id), await store.show('Tea:m1')]
    expect([note.time, message.time]).toEqual(['2099-02-02T23:59:59.000Z', '2099-02-03T00:00:00.000Z'])
    expect([message.oid, message.native, note.native]).toEqual([first, 'm1', null])
    expect((await session.info()).updated).toBe('2099-02-02T23:59:59.000Z')
    await expectFailure('bad-entry', () => session.append({ ...asked, time: Number.NaN }))
  })

  it('has the model that wrote it, by which its tokens have a price', async () => {
    const { store, session } = await opened()
    const by = { model: 'claude-sonnet-4-5', provider: 'anthropic' }
    const usage = { input: 1_000_000, output: 0 }
    await session.append({ body: { role: 'assistant', content: 'Green.', ...by, usage } })
    const { cost, costComputed } = await session.info()
    expect([cost, costComputed]).toEqual([3, true])
    expect((await store.show(session.id)).view.sets).toEqual({
      model: { provider: by.provider, id: by.model },
    })
    expect((await session.context()).model).toEqual({ provider: by.provider, id: by.model })
    const { rows } = await store.usage('model')
    expect(rows.map(({ key }) => key)).toEqual([by.model])
  })
})

describe('a session', () => {
  it('is forked at its tip, or at a revision of it', async () => {
    const { store, session } = await opened()
    const first = await session.append(asked)
    await session.append(asked)
    const whole = await session.fork({ title: 'Whole' })
    const part = await session.fork({ at: first })
    expect([await whole.tip(), await part.tip()]).toEqual([await session.tip(), first])
    expect((await whole.info()).title).toBe('Whole')
    expect(await store.mergeBase(whole.id, part.id)).toBe(first)
  })

  it('shows a cost that is computed by list prices where its agent recorded none', async () => {
    const { store, session } = await opened()
    const { files } = await store.import(fileURLToPath(new URL('../demo/sessions', import.meta.url)))
    const infoOf = async (format: string, options?: { readonly priceOf: PriceOf }) => {
      const { cost, costComputed } = await (
        await store.session(files.find((file) => file.format === format)?.session ?? '')
      ).info(options)
      return [cost?.toFixed(4), costComputed]
    }
    expect(await infoOf('claude-code')).toEqual(['0.1186', true])
    expect(await infoOf('pi')).toEqual(['0.0311', false])
    expect(await infoOf('claude-code', { priceOf: () => undefined })).toEqual([undefined, false])
    expect((await session.info()).costComputed).toBe(false)
  })

  it('calls its handlers for its own events only', async () => {
    const { store, session } = await opened()
    const other = await store.createSession()
    const seen: string[] = []
    const off = session.on('append', (event) => void seen.push(event.session))
    session.on('before-branch', () => ({ cancel: true, reason: 'no branches today' }))
    await session.append(asked)
    await other.append(asked)
    off()
    await session.append(asked)
    expect(seen).toEqual([session.id])
    const { message } = await expectFailure('cancelled', () => session.branch('one'))
    expect(message).toBe('a handler cancelled this branch (no branches today)')
    expect((await other.branch('one')).name).toBe('one')
  })

  it('has the context that the store returns for it', async () => {
    const { store, session } = await opened()
    await session.append(asked)
    const { messages } = await session.context()
    expect(messages.map(({ blocks }) => blocks)).toEqual([[{ kind: 'text', text: 'Green or black?' }]])
    expect(await store.context('Tea')).toEqual(await session.context())
    const { request } = await store.context('Tea', { format: 'anthropic' })
    expect(request).toEqual((await session.context({ format: 'anthropic', at: 'Tea' })).request)
    expect((await session.context({ format: 'pi' })).messages).toHaveLength(1)
    // The types know which part of a request each format makes.
    expect(request.messages.map(({ role }) => role)).toEqual(['user'])
    expect((await session.context({ format: 'openai' })).request.input[0]?.type).toBe('message')
    const chat = await session.context({ format: 'openai-chat' })
    expect(chat.request.messages[0]?.role).toBe('user')
    // @ts-expect-error the chat API takes no input
    expect(chat.request.input).toBeUndefined()
  })

  it('merges the messages of another branch', async () => {
    const { store, session } = await opened()
    await session.append(asked)
    await session.branch('other')
    await session.append(asked, { branch: 'other' })
    const merged = await store.merge('Tea/other', { session: 'Tea' })
    expect([merged.change, await session.tip()]).toEqual(['fast-forward', await store.resolve('Tea/other')])
  })
})
