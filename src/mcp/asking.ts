import { field, isObject, type Json } from '../model/json.ts'
import type { Variables } from '../model/variables.ts'
import { askingSession } from '../verbs/asking-session.ts'
import type { VerbContext } from '../verbs/open.ts'
import { perform } from '../verbs/verb.ts'
import type { Asker } from './memory.ts'

/** The variables in which agents and this program name the session of a process that they start. */
const VARIABLES = ['SESS_SESSION', 'CLAUDE_CODE_SESSION_ID', 'CODEX_THREAD_ID', 'GEMINI_SESSION_ID'] as const

/** Where agents name it with each call: Codex, and Visual Studio Code. */
const PATHS = [
  ['threadId'],
  ['x-codex-turn-metadata', 'thread_id'],
  ['x-codex-turn-metadata', 'session_id'],
  ['vscode.conversationId'],
] as const

/** The greatest size of an id, in UTF-16 units. */
const MAX_ID = 200

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID

/** Returns the ids of the session that asks which the variables of the process hold. */
export const idsInVariables = (variables: Variables): string[] =>
  VARIABLES.map((name) => variables[name]).filter(isId)

/** Returns those that come with a call. */
export function idsInCall(meta: unknown): string[] {
  if (!isObject(meta as Json)) return []
  return PATHS.map((path) =>
    path.reduce<Json | undefined>((value, key) => field(value, key), meta as Json),
  ).filter(isId)
}

/** Returns the id of the session whose agent asks; null where that is not known. */
export async function askingSessionOf(
  context: VerbContext,
  asker: Asker,
  meta: unknown,
): Promise<string | null> {
  const id = [...idsInCall(meta), ...asker.ids]
  const asked = asker.started === undefined ? { id } : { id, since: asker.started }
  return (await perform(askingSession, context, asked)).result?.session ?? null
}
