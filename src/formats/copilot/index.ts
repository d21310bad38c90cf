import { isObject, type Json } from '../../model/json.ts'
import type { Format, Sample } from '../format.ts'
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
  view,
}

/** Every event has all five fields, and names the one before. */
const isEvent = (value: Json): boolean =>
  isObject(value) &&
  KINDS.has(typeof value.type === 'string' ? value.type : '') &&
  isObject(value.data) &&
  typeof value.id === 'string' &&
  value.parentId !== undefined
