/**
 * sess: git for agent conversations. A content-addressable store in which every message of every agent session is
 * kept once, forks cost nothing, and any two branches can be walked and compared.
 */

export type { PiContext } from './formats/pi/messages.ts'
export { type Code, type ErrorData, type Kind, SessError } from './model/errors.ts'
export { type Json, Verbatim } from './model/json.ts'
export type { Oid } from './model/oid.ts'
export type { Block, Effect, Role, Setting, Usage, View } from './model/view.ts'
export type { NewSession } from './ops/append.ts'
export type { Branch } from './ops/branch.ts'
export type { ContextMessage, NeutralContext } from './ops/context.ts'
export type { Diff } from './ops/diff.ts'
export type { Forked, ForkOptions } from './ops/fork.ts'
export type { Finding, Fsck } from './ops/fsck.ts'
export type { Imported, ImportOptions, ImportResult, Refused, Totals } from './ops/import.ts'
export type { Notice } from './ops/intake.ts'
export type { Listed } from './ops/list.ts'
export type { LogEntry, LogOptions } from './ops/log.ts'
export type { Shown } from './ops/show.ts'
export type { Stats } from './ops/stats.ts'
export { type OpenOptions, openStore, Store } from './ops/store.ts'
export { type AppendInput, type AppendOptions, StoredSession } from './ops/storedsession.ts'
export type { Switched } from './ops/switch.ts'
export type { Head } from './repo/session.ts'
