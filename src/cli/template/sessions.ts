import { sessionData } from '../../verbs/ls.ts'
import type { ListedSession } from '../../verbs/types.ts'
import type { TemplateFields } from './fields.ts'
import type { Showing } from './printer.ts'

const FIELDS: TemplateFields<ListedSession> = {
  id: { kind: 'text', is: 'its id', of: ({ id }) => id },
  title: { kind: 'text', is: 'its title', of: ({ title }) => title },
  prompt: { kind: 'text', is: 'the first words of the user', of: ({ prompt }) => prompt },
  format: { kind: 'text', is: 'its format', of: ({ format }) => format },
  cwd: { kind: 'text', is: 'its folder', of: ({ cwd }) => cwd },
  folders: { kind: 'texts', is: 'all folders that it worked in', of: ({ folders }) => folders },
  'git-branch': {
    kind: 'text',
    is: 'the git branch that it worked on last',
    of: ({ git }) => git?.branch ?? null,
  },
  'git-branches': { kind: 'texts', is: 'all its git branches', of: ({ git }) => git?.branches ?? [] },
  'git-commit': {
    kind: 'text',
    is: 'the git commit that it names last',
    of: ({ git }) => git?.commit ?? null,
  },
  'git-repository': { kind: 'text', is: 'its git repository', of: ({ git }) => git?.repository ?? null },
  'pull-requests': { kind: 'texts', is: 'its pull requests', of: ({ pullRequests }) => pullRequests },
  model: { kind: 'text', is: 'the model of the last answer', of: ({ model }) => model },
  entries: { kind: 'number', is: 'the number of entries', of: ({ entries }) => entries },
  prompts: { kind: 'number', is: 'the number of prompts', of: ({ prompts }) => prompts },
  calls: { kind: 'number', is: 'the number of tool calls', of: ({ calls }) => calls },
  tokens: {
    kind: 'number',
    is: 'the tokens of all model calls',
    of: ({ tokens }) => tokens?.total ?? null,
  },
  cost: { kind: 'number', is: 'their cost in US dollars', of: ({ cost }) => cost },
  reported: {
    kind: 'number',
    is: 'the cost of the whole session as its agent reports it',
    of: ({ reportedCost }) => reportedCost,
  },
  computed: {
    kind: 'text',
    is: '~ where the cost is computed by list prices, because its agent recorded none',
    of: ({ costComputed }) => (costComputed ? '~' : null),
  },
  branches: { kind: 'texts', is: 'its branches', of: ({ branches }) => Object.keys(branches) },
  labels: { kind: 'texts', is: 'its labels', of: ({ labels }) => Object.keys(labels) },
  head: { kind: 'text', is: 'its current branch or entry', of: ({ head }) => head },
  created: { kind: 'time', is: 'its creation time', of: ({ created }) => created },
  updated: { kind: 'time', is: 'the time of its last entry', of: ({ updated }) => updated },
  source: { kind: 'text', is: 'the path of its source', of: ({ source }) => source },
  all: { kind: 'other', is: 'everything that --json prints', of: sessionData },
}

/** How sessions can be shown, besides as a table. */
export const SESSIONS: Showing<ListedSession> = {
  fields: FIELDS,
  formats: {
    id: { is: 'only its id', lines: ({ id }) => [[id]] },
    json: { is: 'what --json prints', data: sessionData },
  },
}
