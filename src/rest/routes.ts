import type { JsonObject } from '../model/json.ts'
import type { VerbName } from '../verbs/index.ts'

/** A route of the API: it performs a verb, whose inputs are the parameters of the query or the properties of the body. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** Its path below `/api`, with `:id` for a part that is a parameter. */
  readonly path: string
  readonly verb: VerbName
  /** The input that a parameter of the path is; where the input is a list, its only value. */
  readonly inputs?: Readonly<Record<string, string>>
  /** Inputs with a value that the caller cannot choose. */
  readonly fixed?: JsonObject
  /** Whether a program calls, as a rule, and no person: `undo` without a number passes over what it does. */
  readonly isByProgram?: boolean
  /** Whether the answer depends on the oid in the path alone, so that it may be kept for good. */
  readonly isImmutable?: boolean
}

const read = (path: string, verb: VerbName, inputs?: Route['inputs']): Route => ({
  method: 'GET',
  path,
  verb,
  ...(inputs && { inputs }),
})

const write = (path: string, verb: VerbName, inputs?: Route['inputs']): Route => ({
  ...read(path, verb, inputs),
  method: 'POST',
})

const SESSION = { id: 'session' }
const SWARM = { id: 'swarm' }
const REVISION = { id: 'revision' }

/** The routes that verbs answer, in the order of the description of the API. */
export const ROUTES: readonly Route[] = [
  read('/sessions', 'ls'),
  read('/sessions/:id', 'session', SESSION),
  read('/sessions/:id/usage', 'session-usage', SESSION),
  read('/sessions/:id/rows', 'tree', SESSION),
  read('/sessions/:id/entries', 'log', REVISION),
  read('/sessions/:id/turns', 'read', REVISION),
  read('/sessions/:id/context', 'context', REVISION),
  read('/sessions/:id/branches', 'branches', SESSION),
  read('/sessions/:id/labels', 'labels', SESSION),
  read('/sessions/:id/graph', 'graph', REVISION),
  read('/entries/:oid', 'show', { oid: 'revision' }),
  { ...read('/objects/:oid', 'cat-file', { oid: 'revision' }), isImmutable: true },
  read('/places', 'places'),
  read('/diff', 'diff'),
  read('/diff/stat', 'diff-stat'),
  read('/compare', 'compare'),
  write('/compare', 'compare'),
  read('/context-diff', 'context-diff'),
  read('/search', 'search'),
  read('/search/sessions', 'search-sessions'),
  read('/search/count', 'search-count'),
  read('/ops', 'op-log'),
  read('/ops/:id', 'op-show', { id: 'operation' }),
  write('/undo', 'undo'),
  write('/redo', 'redo'),
  read('/usage', 'usage'),
  read('/store', 'stats'),
  read('/store/check', 'fsck'),
  read('/changes', 'changes'),
  read('/swarms', 'swarms'),
  read('/swarms/:id', 'swarm', SWARM),
  read('/swarms/:id/comparison', 'swarm-compare', SWARM),
  write('/swarms', 'swarm-new'),
  write('/swarms/:id/add', 'swarm-add', SWARM),
  write('/swarms/:id/remove', 'swarm-remove', SWARM),
  write('/sessions', 'new'),
  write('/sessions/:id/branches', 'branch', SESSION),
  write('/sessions/:id/switch', 'switch', SESSION),
  write('/sessions/:id/fork', 'fork', REVISION),
  write('/sessions/:id/pop', 'pop', SESSION),
  write('/sessions/:id/navigate', 'navigate', SESSION),
  write('/sessions/:id/label', 'label', SESSION),
  write('/sessions/:id/cherry-pick', 'cherry-pick', SESSION),
  write('/sessions/:id/merge', 'merge', SESSION),
  write('/sessions/:id/compact', 'compact', REVISION),
  write('/sessions/:id/rebase', 'rebase', SESSION),
  write('/sessions/:id/rename', 'rename', SESSION),
  { ...write('/sessions/:id/entries', 'append', SESSION), isByProgram: true },
]
