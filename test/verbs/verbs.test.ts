import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { loadVerb, VERBS } from '../../src/verbs/index.ts'
import { inputSchema } from '../../src/verbs/readinput.ts'

const FOLDER = new URL('../../src/verbs/', import.meta.url)

const all = () => Promise.all(VERBS.map(async (name) => ({ name, verb: await loadVerb(name) })))

it('the table of verbs has each under its own name', async () => {
  for (const { name, verb } of await all()) expect(verb.name).toBe(name)
  const declared = readdirSync(FOLDER).flatMap((file) => {
    const [, name] =
      /= (?:verb|folderVerb|list|stream)\(\{\n {2}name: '([a-z-]+)'/.exec(
        readFileSync(new URL(file, FOLDER), 'utf8'),
      ) ?? []
    return name === undefined ? [] : [name]
  })
  expect(declared.sort()).toEqual([...VERBS].sort())
})

it('a command that presents one verb of its name has its summary', async () => {
  const verbs = new Map((await all()).map(({ name, verb }) => [name as string, verb.summary]))
  // These present several verbs, or draw what the verb returns in rows.
  const several = [
    'label',
    'branch',
    'append',
    'show',
    'tree',
    'backup',
    'config',
    'fsck',
    'init',
    'hash-object',
    'export',
    'resume',
    'swarm',
  ]
  const presented = COMMANDS.filter(({ name }) => verbs.has(name) && !several.includes(name))
  expect(presented.map(({ name }) => [name, verbs.get(name)])).toEqual(
    presented.map(({ name, summary }) => [name, summary]),
  )
})

it('the input of each verb is described by a JSON Schema of what is typed', async () => {
  for (const { name, verb } of await all()) {
    const schema = inputSchema(verb)
    const { properties } = schema as unknown as { readonly properties: Readonly<Record<string, object>> }
    for (const one of Object.values(properties))
      expect([name, Object.keys(one)]).toEqual([name, expect.arrayContaining(['description'])])
    expect([name, 'dryRun' in properties]).toEqual([name, verb.effect !== 'read'])
    const hasTerms = verb.effect !== 'read' && verb.operations !== 'none'
    expect([name, 'expected' in properties]).toEqual([name, hasTerms])
    expect([name, 'key' in properties]).toEqual([name, hasTerms && verb.operations !== 'several'])
  }
  expect(inputSchema(await loadVerb('rename'))).toMatchInlineSnapshot(`
    {
      "additionalProperties": false,
      "properties": {
        "dryRun": {
          "description": "show what would change; write nothing",
          "type": "boolean",
        },
        "expected": {
          "additionalProperties": {},
          "description": "what the call was decided on: oids by revisions, values by names of refs, null for none",
          "type": "object",
        },
        "key": {
          "description": "the same where a call is repeated: it is done once",
          "type": "string",
        },
        "session": {
          "description": "its id, title, or a prefix of its id",
          "type": "string",
        },
        "title": {
          "description": "the new title; an empty one clears it",
          "type": "string",
        },
      },
      "required": [
        "session",
        "title",
      ],
      "type": "object",
    }
  `)
  expect(inputSchema(await loadVerb('ls'))).toMatchObject({
    properties: {
      since: { type: 'string' },
      limit: { type: 'integer' },
      where: { type: 'array', items: { type: 'string' } },
      sort: { default: 'updated' },
      reverse: { type: 'boolean' },
    },
    required: [],
  })
})
