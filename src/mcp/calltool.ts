import { asSessError, type SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { safe } from '../model/terminaltext.ts'
import { readInput } from '../verbs/readinput.ts'
import { type SentAnswer, sendable } from './answer.ts'
import { askingSessionOf } from './asking.ts'
import type { Memory } from './memory.ts'
import { callOf, roomOf, type Tool } from './tool.ts'

/** One request of a client. */
export interface Request {
  readonly signal: AbortSignal
  /** The client's own words on the call. */
  readonly meta: unknown
}

/** Calls a tool and returns its answer. Throws as the verbs that it is made of. */
export async function callTool(
  tool: Tool,
  asked: Json,
  memory: Memory,
  { signal, meta }: Request,
): Promise<SentAnswer> {
  const context = await memory.context({ signal, command: tool.name })
  const { input, terms } = readInput(callOf(tool), asked, context.where)
  const room = roomOf(input)
  const asking = (): Promise<string | null> => askingSessionOf(context, memory.asker, meta)
  const answer = await tool.run({ context, asking, room }, input, terms)
  return sendable(context, answer, { room, showsSecrets: memory.showsSecrets })
}

/** The most characters of an error. */
const MAX_ERROR = 1000

/** Returns an error as text for a model: what failed, and how to go on. */
export function errorText(error: unknown): string {
  const { message, hint, candidates, code } = asSessError(error)
  const lines = [
    message,
    hint || HINTS[code],
    candidates.length > 0 ? `it may mean: ${candidates.slice(0, 8).join(', ')}` : undefined,
  ]
  return safe(lines.filter((line) => line).join('\n')).slice(0, MAX_ERROR)
}

/** How to go on, in words of the tools. */
const HINTS: { readonly [code in SessError['code']]?: string } = {
  'no-store': 'nothing was imported yet: ask the user to run "sess import"',
  'no-session': 'call sessions to see the sessions',
  'no-revision': 'use an oid of search or log, or a session of sessions',
  'no-entry': 'use an oid of search or log',
  'ambiguous-revision': 'use more of the id',
  busy: 'another process uses the store: call again',
  'bad-query': 'use plain words, "exact phrases", -word, A OR B, re:regex',
}
