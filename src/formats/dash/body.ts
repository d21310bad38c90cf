import type { Json, JsonObject } from '../../model/json.ts'
import { all, chosen, fields, type Select } from '../select.ts'

const BODIES: Readonly<Record<string, Readonly<Record<string, Select>>>> = {
  message: { ...all('role', 'content'), metadata: fields(all('model', 'provider', 'cost', 'tokens')) },
  agent_action: all('action', 'agentId', 'data'),
  compaction: all('summary', 'tokensBefore'),
}

/** The types of the records that carry an entry. */
export const KINDS: ReadonlySet<string> = new Set(Object.keys(BODIES))

/** Gives the conversation-bearing part of a record of one of `KINDS`: no ids, no times. */
export const bodyOf = (kind: string, value: JsonObject): Json =>
  chosen(value, BODIES[kind] as Readonly<Record<string, Select>>)
