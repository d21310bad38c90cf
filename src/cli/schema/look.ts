import { METRICS } from '../../ops/compare.ts'
import {
  about,
  anything,
  count,
  type Described,
  either,
  list,
  map,
  nullable,
  number,
  object,
  text,
  truth,
  word,
} from './build.ts'
import { block, dollars, drawn, entry, oid, role, shown, time, tokens } from './parts.ts'

const message = object({
  oid,
  part: word(
    'message',
    'kept',
    'replacement',
    'checkpoint',
    'compaction-summary',
    'branch-summary',
    'closing',
  ),
  role: nullable(role),
  blocks: list(block),
})

const SETTING = { model: object({ id: text }, { provider: text }), thinking: text, mode: text }

const repair = object(
  {
    kind: word(
      'closed-call',
      'dropped-result',
      'moved-result',
      'renamed-call',
      'renamed-tool',
      'dropped-thinking',
      'dropped-image',
      'added-start',
    ),
    oid,
  },
  { call: about('the id of the tool call', text), as: about('what stands now for an id or a name', text) },
)

const left = object({ kind: word('result', 'thinking', 'image', 'message'), oid, tokens: count })

const notes = {
  repairs: about('what was done so that an API takes it', list(repair)),
  left: about('what was left out to fit the budget', list(left)),
  tokens: about('estimated', count),
}

const neutral = object({ messages: list(message), ...notes }, SETTING)

const request = object({ request: map(list(anything)), ...notes })

const size = object({ messages: count, bytes: count, tokens: count })

const pi = object({
  messages: list(anything),
  thinkingLevel: text,
  model: nullable(object({ modelId: text }, { provider: text })),
})

const session = object({
  id: text,
  format: text,
  title: nullable(text),
  prompt: about('the first words of its user', nullable(text)),
  cwd: nullable(text),
  entries: count,
  records: count,
  prompts: count,
  calls: count,
  tokens: nullable(tokens),
  cost: nullable(dollars),
  model: nullable(text),
  branches: map(oid),
  labels: map(oid),
  set: map(text),
  head: about('a branch, or an oid when detached', nullable(text)),
  parent: about('the session that started it, as its agent names it', nullable(text)),
  agents: about('by the ids of the sub-agents that it started: the entries that did', map(oid)),
  created: nullable(time),
  updated: nullable(time),
  source: about('the path that it was imported from', nullable(text)),
})

const span = object({ from: count, to: count })

const hit = object({
  oid: about('null where a session was found by its title', nullable(oid)),
  session: text,
  title: nullable(text),
  prompt: about('the first words of its user', nullable(text)),
  others: about('the other sessions that share the entry', list(text)),
  role: nullable(role),
  time: nullable(time),
  rank: about('the lower the better', count),
  snippets: list(
    object({
      place: word('title', 'label', 'prompt', 'reply', 'tool'),
      tool: nullable(text),
      text,
      spans: about('what was found, in UTF-16 units of the text', list(span)),
      cut: about('whether its first line is cut at its beginning, its last one at its end', list(truth)),
    }),
  ),
})

const FIGURES = {
  entries: count,
  messages: about('the entries of one model call are one', count),
  roles: object({ user: count, assistant: count, tool: count, system: count }),
  calls: about('of tools', count),
  tools: about('how many calls of each', map(count)),
  errors: about('calls that failed', count),
  files: about('that tool calls name', object({ read: list(text), changed: list(text) })),
  tokens: about('as the agent tells', nullable(tokens)),
  estimated: about('tokens of all entries', count),
  cost: nullable(dollars),
}

const metric = word(...METRICS)

const comparison = object({
  base: about('the newest entry that all of them reach', nullable(oid)),
  whole: about('whether whole paths were counted', truth),
  sides: list(
    object({
      revision: text,
      oid,
      session: nullable(text),
      branch: nullable(text),
      ...FIGURES,
      outcome: about('how it ends', nullable(word('complete', 'failed', 'interrupted', 'pending'))),
      duration: about('milliseconds', nullable(count)),
      lastActivity: nullable(time),
    }),
  ),
  total: about('an entry that several have counted once', object(FIGURES)),
  differences: list(
    object({
      metric,
      a: text,
      b: text,
      diff: nullable(number),
      percent: about('of what a has', nullable(number)),
    }),
  ),
  metric,
  winner: about('the revision with the lowest; null where it is known of none', nullable(text)),
})

const difference = object({
  base: nullable(oid),
  left: list(entry),
  right: list(entry),
  pairs: about(
    'both sides in order, those beside each other that correspond',
    list(object({ left: nullable(oid), right: nullable(oid), same: truth })),
  ),
})

const saying = object({ count, chars: count, tokens: about('estimated', count) })
const change = object({ removed: saying, added: saying })

const stat = object({
  base: nullable(oid),
  same: about('entries that both sides have since they parted', count),
  entries: change,
  messages: change,
  roles: object({}, { user: change, assistant: change, tool: change, system: change }),
  tools: about('calls by the names of tools, with what their results say', map(change)),
})

const seen = object({ messages: count, tokens: about('estimated', count) }, SETTING)

const contexts = object({
  before: seen,
  after: seen,
  prefix: about('how many messages both begin with', count),
  left: list(message),
  came: list(message),
  changed: about('what says something else now', list(object({ before: message, after: message }))),
  kept: count,
})

/** The output of commands that show entries. */
export const look: Readonly<Record<string, Described>> = {
  ls: about('A line for each session.', session),
  log: about('A line for each entry; with --graph with its lines.', either(entry, drawn)),
  tree: about('A line for each entry that is drawn.', drawn),
  show: about('A line for each revision.', shown),
  diff: about('One object; with --stat or --context another.', { anyOf: [difference, stat, contexts] }),
  compare: about('One object.', comparison),
  resume: about(
    'One object, but for what --run runs.',
    object(
      {
        session: text,
        title: nullable(text),
        format: text,
        agent: about('what people call it', text),
        id: about('the id that the session has there', text),
        path: text,
        cwd: about('the folder in which the command is to be run', text),
        command: about('a list of arguments', list(text)),
        upToDate: about('whether the agent stands where the session stands here', truth),
      },
      {
        take: about('what is to be run before: the agent takes the session from the file', list(text)),
        opens: about('what is to be done where the agent has no command: then that is empty', text),
      },
    ),
  ),
  handoff: about('One object.', object({ goal: text, session: nullable(text), tip: oid, text })),
  search: about(
    'A line for each hit, the best first; with --count one object.',
    either(hit, object({ hits: count, sessions: count })),
  ),
  context: about(
    'One object; with --format pi another, as that agent gives it; with the formats of APIs a part of a request.',
    either(neutral, pi, request, object({ shared: size, left: size, right: size })),
  ),
}
