import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { loadVerb, type VerbName } from '../../src/verbs/index.ts'
import { readInput } from '../../src/verbs/readinput.ts'

const NOW = Date.UTC(2026, 3, 10)
const where = { now: () => NOW, zone: () => 0, absolute: (path: string) => `/work/${path}` }

const read = async (name: VerbName, asked: JsonObject) => readInput(await loadVerb(name), asked, where)

it('reads what is typed as what it means', async () => {
  const { input } = await read('ls', { since: '3d', cwd: 'src', limit: 5, where: ['a=b'], label: null })
  expect(input).toEqual({
    since: NOW - 3 * 86_400_000,
    cwd: '/work/src',
    limit: 5,
    where: ['a=b'],
    sort: 'updated',
    reverse: false,
  })
  expect(await read('ls', { limit: '5' })).toMatchObject({ input: { limit: 5 } })
})

it('fills in the current session', async () => {
  expect(await read('fork', {})).toEqual({
    input: { revision: '@', before: false },
    terms: { expected: undefined, key: undefined, dryRun: undefined },
  })
})

it('takes entries as objects, and as their text', async () => {
  const body = { role: 'user', content: 'Hi' }
  const entry = [{ body }, JSON.stringify({ body })]
  const meant = { type: 'sess/message', body }
  expect(await read('append', { entry })).toMatchObject({ input: { entry: [meant, meant] } })
})

it('reads the terms of a call that writes', async () => {
  const terms = { expected: { a: null }, key: 'k', dryRun: true }
  expect(await read('rename', { session: 's', title: 't', ...terms })).toEqual({
    input: { session: 's', title: 't' },
    terms,
  })
})

it.each<[VerbName, JsonObject, RegExp]>([
  ['rename', { session: 's' }, /'title' is missing/],
  ['rename', { session: 's', title: 't', name: 'x' }, /'rename' has no input 'name'/],
  ['ls', { key: 'k' }, /'ls' has no input 'key'/],
  ['ls', { limit: -1 }, /'limit' takes a whole number, not -1/],
  ['ls', { limit: {} }, /'limit' takes a whole number, not \{\}/],
  ['ls', { sort: 'size' }, /'sort' takes updated, created/],
  ['ls', { reverse: 'yes' }, /'reverse' is true or false/],
  ['rm', { session: [] }, /'session' is a list of one or more/],
  ['rm', { session: 's' }, /'session' is a list of one or more/],
  ['tree-graph', { session: 's', all: true }, /'all' and 'session' exclude each other/],
  ['append', { entry: [{ type: 'x' }] }, /it has no body/],
  ['rename', { session: 's', title: 't', key: 1 }, /'key' is a text/],
  ['rename', { session: 's', title: 't', expected: [] }, /'expected' is an object/],
  ['rename', { session: 's', title: 't', dryRun: 'x' }, /'dryRun' is true or false/],
])('refuses for %s: %j', async (name, asked, message) => {
  const verb = await loadVerb(name)
  expect(() => readInput(verb, asked, where)).toThrow(message)
})
