/**
 * sess: git for agent conversations. A content-addressable store in which every message of every agent session is
 * kept once, forks cost nothing, and any two branches can be walked and compared.
 *
 * Begin with `openStore`: it returns a `Store`, which returns `Session`s. docs/library.md has examples.
 */

export type { ContextForm, ContextForms, ContextQuery } from './library/context.ts'
export {
  type AppendInput,
  type EntryInput,
  type MessageBody,
  Session,
  Session as StoredSession,
  type SessionEvent,
} from './library/session.ts'
export { type OpenOptions, openStore, Store } from './library/store.ts'
export type * from './library/types.ts'
export { Verbatim } from './model/encoding/verbatim.ts'
export { SessError } from './model/errors.ts'
export { loadSecretList } from './sources/secretrules.ts'
