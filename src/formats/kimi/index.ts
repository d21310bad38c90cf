import { asString, field, type Json } from '../../model/json.ts'
import { isNoTranscript } from '../beside.ts'
import type { Format, Sample } from '../format.ts'
import { millis } from '../hints.ts'
import { given } from '../linearreader.ts'
import { lines } from '../lines.ts'
import { sidecar } from '../sidecar.ts'
import { placeOf } from './place.ts'
import { kimiReader } from './read.ts'
import { view } from './view.ts'

/** Kimi: `context.jsonl` and `wire.jsonl` of Kimi CLI, and the `wire.jsonl` of Kimi Code. */
export const kimi: Format = {
  name: 'kimi',
  dialect: 'kimi',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader: kimiReader,
  sidecars: {
    folder: (name, folder, above) => placeOf(name, folder, above)?.folder,
    own: true,
    holds: (path) => isNoTranscript(path) && !ANOTHERS.test(path),
    facts: (path, value) =>
      path === 'state.json'
        ? {
            ...given('title', asString(field(value, 'title'))),
            ...given('cwd', asString(field(value, 'workDir'))),
            ...given('created', millis(field(value, 'createdAt'))),
          }
        : {},
  },
  view,
}

/** What is below an agent's folder is that agent's. */
const ANOTHERS = /^(?:agents\/(?!main\/)|subagents\/)/

/** What Kimi Code says of a session: its title, its folder, its agents. */
export const kimiState: Format = sidecar({
  name: 'kimi-state',
  detect: ({ head }) =>
    /^\s*\{[^]*"agents"\s*:\s*\{[^]*"homedir"\s*:[^]*"workDir"\s*:/.test(
      new TextDecoder().decode(head.subarray(0, 4096)),
    ),
})

/** A log of events begins with its protocol; a context holds marks that only Kimi sets. */
function detect({ lines: objects }: Sample): boolean {
  const [first] = objects
  if (field(first, 'type') === 'metadata' && field(first, 'protocol_version') !== undefined) return true
  return objects.some((line) => isContextEvent(line) || isMark(line))
}

const isContextEvent = (line: Json): boolean => {
  const type = field(line, 'type')
  return type === 'context.append_message' || type === 'context.append_loop_event'
}

const isMark = (line: Json): boolean =>
  ['_system_prompt', '_checkpoint', '_usage'].some((role) => field(line, 'role') === role)
