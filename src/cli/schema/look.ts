import {
  about,
  anything,
  count,
  type Described,
  either,
  list,
  map,
  nullable,
  object,
  text,
  truth,
  word,
} from './build.ts'
import { block, dollars, drawn, entry, oid, role, shown, time, tokens } from './parts.ts'

const message = object({
  oid,
  part: word('message', 'kept', 'replacement', 'compaction-summary', 'branch-summary', 'closing'),
  role: nullable(role),
  blocks: list(block),
})

const neutral = object(
  {
    messages: list(message),
    repairs: list(object({ kind: word('dropped-result', 'closed-call'), oid, call: text })),
  },
  { model: object({ id: text }, { provider: text }), thinking: text, mode: text },
)

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

/** What the commands print that show what is there. */
export const look: Readonly<Record<string, Described>> = {
  ls: about('A line for each session.', session),
  log: about('A line for each entry; with --graph with its lines.', either(entry, drawn)),
  tree: about('A line for each entry that is drawn.', drawn),
  show: about('A line for each revision.', shown),
  diff: about('One object.', object({ base: nullable(oid), left: list(entry), right: list(entry) })),
  search: about(
    'A line for each hit, the best first; with --count one object.',
    either(hit, object({ hits: count, sessions: count })),
  ),
  context: about('One object; with --format pi another, as that agent gives it.', { anyOf: [neutral, pi] }),
}
