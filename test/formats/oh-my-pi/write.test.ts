import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { writer } from '../../../src/formats/oh-my-pi.ts'
import { openStore } from '../../../src/index.ts'
import { type JsonObject, without } from '../../../src/model/json.ts'
import { drafted, valuesIn, writtenBy } from '../../support/draft.ts'
import { newFolder } from '../../support/folder.ts'

const fixture = fileURLToPath(new URL('../../fixtures/oh-my-pi/session.jsonl', import.meta.url))

describe('a session written for oh-my-pi', () => {
  it('has a title line, and settings in its dialect', async () => {
    const inputs = [
      { type: 'sess/model_change', body: { provider: 'openai', model: 'gpt' } },
      { type: 'sess/mode_change', body: { mode: 'plan' } },
      { role: 'system', content: 'Answer in French.' },
      { role: 'user', content: 'Hi' },
    ]
    const { text, losses } = await writtenBy(writer, drafted(inputs, { title: 'Greeting' }))
    expect(losses).toEqual([])
    expect(text.indexOf('\n')).toBe(255)
    const [slot, header, ...records] = valuesIn(text) as unknown as JsonObject[]
    expect(slot).toMatchObject({ type: 'title', title: 'Greeting', source: 'user' })
    expect(header).toMatchObject({ type: 'session', version: 3, title: 'Greeting', titleSource: 'user' })
    expect(records.map((record) => without(record, 'id', 'parentId', 'timestamp'))).toEqual([
      { type: 'model_change', model: 'openai/gpt' },
      { type: 'mode_change', mode: 'plan' },
      {
        type: 'message',
        message: {
          role: 'developer',
          content: [{ type: 'text', text: 'Answer in French.' }],
          timestamp: 1767225720000,
        },
      },
      {
        type: 'message',
        message: { role: 'user', content: [{ type: 'text', text: 'Hi' }], timestamp: 1767225780000 },
      },
    ])
  })

  it('has no edits, and reports the loss', async () => {
    const edit = {
      type: 'sess/edit',
      body: { replacement: { content: 'Ho' } },
      parents: [0],
      links: { target: 0 },
    }
    const { losses } = await writtenBy(writer, drafted([{ role: 'user', content: 'Hi' }, edit]))
    expect(losses.map(({ code }) => code)).toEqual(['edit'])
  })

  it('holds the same entries as the file that it was read from, with all that its header inputs', async () => {
    const dir = newFolder()
    const store = await openStore(join(dir, 'store'), { create: true })
    try {
      const { files } = await store.import(fixture)
      const id = files[0]?.session ?? ''
      const oids = async (session: string): Promise<string[]> => {
        const found: string[] = []
        for await (const { oid } of store.log(session, { all: true })) found.push(oid)
        return found.sort()
      }
      const chunks: Uint8Array[] = []
      for await (const chunk of store.export(id, { format: 'oh-my-pi' })) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      expect(valuesIn(text)[1]).toEqual({
        ...JSON.parse(readFileSync(fixture, 'utf8').split('\n')[1] as string),
        title: 'Nested tides',
        titleSource: 'user',
      })
      writeFileSync(join(dir, 'written.jsonl'), text)
      const again = await store.import(join(dir, 'written.jsonl'))
      expect(again.files[0]).toMatchObject({ format: 'oh-my-pi', newEntries: 0 })
      expect(await oids(again.files[0]?.session ?? '')).toEqual(await oids(id))
    } finally {
      await store.close()
    }
  })
})
