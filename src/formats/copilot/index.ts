import { isObject, type Json } from '../../model/json.ts'
import { isNoTranscript } from '../beside.ts'
import type { Format, Sample } from '../format.ts'
import { isUuid } from '../ids.ts'
import { lines } from '../lines.ts'
import { KINDS } from './body.ts'
import { CopilotReader } from './read.ts'
import { view } from './view.ts'

/** The sessions of GitHub Copilot CLI: the events of a session, one after the other. */
export const copilot: Format = {
  name: 'copilot-cli',
  dialect: 'copilot',
  reading: 1,
  conversational: true,
  detect: ({ lines: events }: Sample) => events.some(isEvent),
  splitter: lines,
  reader: () => new CopilotReader(),
  sidecars: {
    folder: (name, folder) => (name === 'events.jsonl' && isUuid(folder) ? '' : undefined),
    own: true,
    holds: (path) => isNoTranscript(path) && !DATABASE.test(path),
  },
  view,
}

/** A database is written to all the time. */
const DATABASE = /\.(?:db|sqlite3?)(?:-\w+)?$/

/** Every event has all five fields, and names the one before. */
const isEvent = (value: Json): boolean =>
  isObject(value) &&
  KINDS.has(typeof value.type === 'string' ? value.type : '') &&
  isObject(value.data) &&
  typeof value.id === 'string' &&
  value.parentId !== undefined
