import type { Json } from '../../model/json.ts'
import { defineFormat } from '../core/define.ts'
import { gitFacts } from '../core/facthistory.ts'
import type { Agent } from '../core/format.ts'
import { jsonDocument } from '../core/jsondocument.ts'
import { beginsAs, type Sample, startText } from '../core/sample.ts'
import { factsAt } from '../core/values.ts'
import { baseOf } from './facts.ts'
import { at, idAt, kindOf, textAt, timeOf } from './fields.ts'
import { KNOWN } from './known.ts'
import { projectFolder } from './projectfolder.ts'
import { ClaudeReader } from './read.ts'
import { sidecars } from './sidecars.ts'
import { ENTRIES } from './view.ts'
import { writer } from './write.ts'

/** Claude Code: it looks for a session in the folder of the project that it is started in. */
const agent: Agent = {
  title: 'Claude Code',
  resume: ({ id }) => ['claude', '--resume', id],
  perFolder: true,
}

const CHAINED = new Set(['user', 'assistant', 'system', 'progress', 'attachment'])

/** Records about a session that carry its id and are part of no chain. */
const UNCHAINED = new Set([
  'agent-name',
  'ai-title',
  'continued-in',
  'custom-title',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'queue-operation',
  'relocated',
  'tag',
  'worktree-state',
])

/**
 * Returns whether a source is a Claude Code session: one of its first records is, and none is of a look-alike.
 */
export function detect(sample: Sample): boolean {
  if (sample.lines.length === 0 && !sample.whole) return beginsAsRecord(sample.head)
  return sample.lines.some(isRecord) && !sample.lines.some(isQwen)
}

function isRecord(line: Json): boolean {
  const type = textAt(line, 'type') ?? ''
  if (type === 'summary') return idAt(line, 'summary') !== undefined && idAt(line, 'leafUuid') !== undefined
  if (type === 'file-history-snapshot')
    return idAt(line, 'messageId') !== undefined && at(line, 'snapshot') !== undefined
  if (idAt(line, 'sessionId') === undefined) return false
  return UNCHAINED.has(type) || (CHAINED.has(type) && idAt(line, 'uuid') !== undefined)
}

/** Qwen Code writes the same envelope around Gemini's messages. */
const isQwen = (line: Json): boolean =>
  Array.isArray(at(line, 'message', 'parts')) || at(line, 'systemPayload') !== undefined

/** A first record longer than the sample is known by the keys of its envelope, which agents write first. */
function beginsAsRecord(head: Uint8Array): boolean {
  const text = startText(head)
  return ['"parentUuid":', '"isSidechain":', '"sessionId":'].every((key) => text.includes(key))
}

/** Claude Code: one record a line in `projects/<folder>/<session>.jsonl`. */
export const claude = defineFormat({
  name: 'claude-code',
  dialect: 'claude',
  reading: 4,
  detect,
  base: baseOf,
  reader: (name, folder, above) => new ClaudeReader(name, folder, above),
  projectFolder,
  sidecars,
  entries: ENTRIES,
  known: KNOWN,
  writer,
  agent,
})

/**
 * A session of Claude Code exported from its web page: one document whose `loglines` are records without ids, in
 * order.
 */
export const claudeWeb = defineFormat({
  name: 'claude-web',
  reading: 2,
  rewrittenWhole: true,
  detect: beginsAs(/^\s*\{\s*"loglines"\s*:\s*\[/),
  splitter: () => jsonDocument('loglines'),
  record: {
    time: timeOf,
    carries: kindOf,
    facts: (record) => ({
      ...factsAt(record, { id: 'sessionId', cwd: 'cwd' }),
      ...gitFacts({ branch: record.gitBranch }),
    }),
  },
  entries: ENTRIES,
  known: { ...KNOWN, document: { fields: { '': ['loglines'] } } },
})
