import { asString, type Json, type JsonObject } from '../../model/json.ts'
import { block, MESSAGE } from '../pi/body.ts'
import type { PiDialect } from '../pi/dialect.ts'
import { all, chosen, each, fields, type Select } from '../select.ts'

/** Its copies count usage and cost anew, so that they are no part of what was said. */
const message = fields({ ...MESSAGE, ...all('code', 'files', 'attribution') })

const BODIES: Readonly<Record<string, Readonly<Record<string, Select>>>> = {
  message: { message },
  compaction: all('summary', 'shortSummary', 'tokensBefore', 'details', 'preserveData', 'fromExtension'),
  branch_summary: all('summary', 'details', 'fromExtension'),
  custom_message: { ...all('customType', 'display', 'details', 'attribution'), content: each(block) },
  thinking_level_change: all('thinkingLevel', 'configured'),
  model_change: all('model', 'role', 'resolvedModelIsFallback'),
  mode_change: all('mode', 'data'),
  reset_boundary: {},
}

/** The types that pi does not have. */
export const OWN: ReadonlySet<string> = new Set([
  'title',
  'mode_change',
  'reset_boundary',
  'model_usage',
  'service_tier_change',
  'title_change',
  'ttsr_injection',
  'credential_pin',
  'session_init',
])

/** oh-my-pi: pi's tree, and records of its own. */
export const OH_MY_PI: PiDialect = {
  name: 'omp',
  kinds: new Set(Object.keys(BODIES)),
  passed: new Set([...OWN, 'custom', 'label', 'session_info', 'usage']),
  bodyOf: (kind: string, value: JsonObject): Json =>
    chosen(value, BODIES[kind] as Readonly<Record<string, Select>>),
  titleIn: ({ type, title }) =>
    type === 'title' || type === 'session' || type === 'title_change' ? asString(title)?.trim() : undefined,
}
