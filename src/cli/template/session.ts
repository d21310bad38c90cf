import { type JsonObject, without } from '../../model/json.ts'
import type { Listed } from '../../ops/list.ts'
import type { Fields } from './fields.ts'
import type { Showing } from './printer.ts'

/**
 * Returns what --json prints of a session: all but its state digest, which serves transfers. Copies have the index
 * signatures that JSON has and interfaces have not.
 */
export const sessionData = (session: Listed): JsonObject =>
  without({ ...session, tokens: session.tokens && { ...session.tokens } }, 'state')

const FIELDS: Fields<Listed> = {
  id: { kind: 'text', is: 'its id', of: ({ id }) => id },
  title: { kind: 'text', is: 'its title', of: ({ title }) => title },
  prompt: { kind: 'text', is: 'the first words of its user', of: ({ prompt }) => prompt },
  format: { kind: 'text', is: 'the format that it came in', of: ({ format }) => format },
  cwd: { kind: 'text', is: 'the folder that it belongs to', of: ({ cwd }) => cwd },
  model: { kind: 'text', is: 'the model that answered last', of: ({ model }) => model },
  entries: { kind: 'number', is: 'how many entries it has', of: ({ entries }) => entries },
  prompts: { kind: 'number', is: 'how often its user said something', of: ({ prompts }) => prompts },
  calls: { kind: 'number', is: 'how many tools were called', of: ({ calls }) => calls },
  tokens: {
    kind: 'number',
    is: 'the tokens of all its model calls',
    of: ({ tokens }) => tokens?.total ?? null,
  },
  cost: { kind: 'number', is: 'their cost in US dollars', of: ({ cost }) => cost },
  branches: { kind: 'texts', is: 'its branches', of: ({ branches }) => Object.keys(branches) },
  labels: { kind: 'texts', is: 'its labels', of: ({ labels }) => Object.keys(labels) },
  head: { kind: 'text', is: 'the branch, or the oid, that it stands on', of: ({ head }) => head },
  created: { kind: 'time', is: 'when it was made', of: ({ created }) => created },
  updated: { kind: 'time', is: 'when it was last added to', of: ({ updated }) => updated },
  source: { kind: 'text', is: 'the path that it was imported from', of: ({ source }) => source },
  all: { kind: 'other', is: 'all that --json prints of it', of: sessionData },
}

/** How sessions can be shown, besides as a table. */
export const SESSIONS: Showing<Listed> = {
  fields: FIELDS,
  formats: {
    id: { is: 'its id alone', lines: ({ id }) => [[id]] },
    json: { is: 'what --json prints', data: sessionData },
  },
}
