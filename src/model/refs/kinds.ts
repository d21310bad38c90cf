import type { Oid } from '../encoding/oid.ts'
import type { Json } from '../json.ts'
import type { Reason, Watched } from '../secrets/expunged.ts'
import { exportHead, nativeHead, sessionMeta, sourceHead } from './heads.ts'
import {
  count,
  either,
  hash,
  map,
  nullable,
  number,
  object,
  oid,
  optional,
  type Schema,
  text,
} from './schema.ts'
import type {
  EmptyValue,
  GraftValue,
  Head,
  LeafValue,
  OutputFiles,
  SessionName,
  SwarmMember,
  SwarmValue,
  UnresolvedValue,
} from './values.ts'

/** A kind of refs. */
export interface RefKind {
  /** The name of the kind; within sessions, the third part of a name. */
  readonly kind: string
  /** The parts of a name: as they are, `*` for any, `<oid>` for the oid of an entry, which the ref names. */
  readonly pattern: string
  readonly value: Schema<Json>
  /** Whether it is the head of a log: its records are those that it names. */
  readonly isLogHead: boolean
  /**
   * Whether undo and restoring move it back. `unless-moved`: it stays, without a conflict, where it moved again, because
   * records that nothing reaches do no harm. `never`: it is as it is now at each point in time.
   */
  readonly undo: 'always' | 'unless-moved' | 'never'
  /** Whether it is a part of what another store would get. Other refs say where this store and its user stand. */
  readonly travels: boolean
}

const row = <T extends Json>(
  kind: string,
  pattern: string,
  value: Schema<T>,
  traits: Partial<Pick<RefKind, 'isLogHead' | 'undo' | 'travels'>> = {},
): RefKind => ({
  kind,
  pattern,
  value,
  isLogHead: false,
  undo: 'always',
  travels: false,
  ...traits,
})

const head: Schema<Head> = either(
  object<{ readonly branch: string }>({ branch: text }),
  object<{ readonly oid: Oid | null }>({ oid: nullable(oid) }),
)

const leaf: Schema<LeafValue> = object<LeafValue>({
  record: optional(text),
  bytes: number,
  tip: optional(oid),
})

const sessionName: Schema<SessionName> = object<SessionName>({ session: text })

const outputFiles: Schema<OutputFiles> = object<OutputFiles>({ session: text, files: map(text) })

const graft: Schema<GraftValue> = object<GraftValue>({ parent: oid, native: text, session: text })

const unresolved: Schema<UnresolvedValue> = object<UnresolvedValue>({ session: text, time: optional(number) })

const swarmMember: Schema<SwarmMember> = object<SwarmMember>({
  session: text,
  branch: optional(text),
  about: optional(text),
})

const swarm: Schema<SwarmValue> = object<SwarmValue>({
  session: text,
  task: optional(text),
  created: number,
  current: optional(text),
  members: map(swarmMember),
})

const empty: Schema<EmptyValue> = object<EmptyValue>({})

const reason: Schema<Reason> = object<Reason>({ why: text, time: number })

const watched: Schema<Watched> = object<Watched>({
  why: text,
  time: number,
  length: count,
  weak: number,
  salt: text,
  hash,
})

/** All kinds of refs. What goes through the refs of a store asks this table, and nothing else, what they are. */
export const REF_KINDS: readonly RefKind[] = [
  row('meta', 'sessions/*/meta', sessionMeta, { travels: true }),
  row('HEAD', 'sessions/*/HEAD', head),
  row('branches', 'sessions/*/branches/*', oid, { travels: true }),
  row('labels', 'sessions/*/labels/*', oid, { travels: true }),
  row('source', 'sessions/*/source', sourceHead, { isLogHead: true, travels: true }),
  row('natives', 'sessions/*/natives/*', nativeHead, {
    isLogHead: true,
    travels: true,
    undo: 'unless-moved',
  }),
  row('files', 'sessions/*/files/*', sourceHead, { isLogHead: true, travels: true }),
  row('exports', 'sessions/*/exports/*', exportHead, { isLogHead: true }),
  row('leaf', 'sessions/*/leaf', leaf),
  row('exported', 'exports/*', sessionName),
  row('blob', 'blobs/*', sessionName),
  row('outputs', 'outputs/<oid>', outputFiles),
  row('current', 'current/*', sessionName),
  row('swarm', 'swarms/*', swarm, { travels: true }),
  row('graft', 'grafts/<oid>', graft, { travels: true }),
  row('lacking', 'lacking/*/<oid>', unresolved),
  row('awaited', 'awaited/*/*', empty),
  row('expunged-body', 'expunged/body/*', reason, { travels: true, undo: 'never' }),
  row('expunged-secret', 'expunged/secret/*', watched, { travels: true, undo: 'never' }),
]
