import type { GitFacts } from '../gitfacts.ts'
import type { LogTotals } from '../logtotals.ts'
import type { Spawn } from '../spawn.ts'
import type { Spending, SpendingRow } from '../spending.ts'
import type { UnknownNames } from '../unknownnames.ts'
import type { Usage } from '../view.ts'
import {
  always,
  blobs,
  compressedBlobs,
  count,
  type Fields,
  flag,
  hash,
  list,
  log,
  map,
  nullable,
  number,
  object,
  oid,
  optional,
  pair,
  prefix,
  type ReferenceVisitor,
  type Schema,
  text,
} from './schema.ts'
import type {
  ExportHead,
  LogHead,
  NativeHead,
  SessionMeta,
  SourceHead,
  SourceOrigin,
  StoredClaim,
} from './values.ts'

const counts = {
  input: optional(number),
  output: optional(number),
  cacheRead: optional(number),
  cacheWrite: optional(number),
  cacheWriteLong: optional(number),
  cost: optional(number),
}

const usage: Schema<Usage> = object<Usage>({ ...counts, call: optional(text) })

type Kept<K extends 'parts' | 'last' | 'reported'> = NonNullable<LogTotals[K]>

const spending: Schema<Spending> = object<Spending>({
  models: list(text),
  rows: list<SpendingRow>(list(nullable(number))),
  joined: optional(always),
  openings: optional(list(text)),
})

const totals: Schema<LogTotals> = object<LogTotals>({
  ...counts,
  prompts: optional(number),
  calls: optional(number),
  model: optional(text),
  parts: optional(
    list(object<Kept<'parts'>[number]>({ ...counts, model: optional(text), over: optional(number) })),
  ),
  reported: optional(
    object<Kept<'reported'>>({ cost: number, models: optional(map(number)), tally: optional(text) }),
  ),
  last: optional(
    list(object<Kept<'last'>[number]>({ ...counts, call: optional(text), model: optional(text) })),
  ),
  spending: optional(spending),
})

const headFields: Fields<LogHead> = {
  log,
  count,
  entries: count,
  hash,
  updated: optional(number),
  summary: optional(totals),
  expunged: optional(always),
}

/** Visits the log of a head with the number of its records. */
const visitHead = (head: LogHead, visitor: ReferenceVisitor): void => visitor.log(head.log, head.count)

const origin: Schema<SourceOrigin> = object<SourceOrigin>({
  session: text,
  native: optional(text),
  ordinal: optional(number),
  offset: optional(number),
  entry: optional(oid),
  inherited: optional(
    object<NonNullable<SourceOrigin['inherited']>>({
      model: optional(text),
      thinking: optional(text),
      counter: optional(usage),
    }),
  ),
})

const sourceFields: Fields<SourceHead> = {
  ...headFields,
  reading: number,
  bytes: count,
  sha256: hash,
  start: optional(text),
  tail: blobs,
  branches: map(oid),
  numbered: optional(compressedBlobs),
  salvaged: count,
  superseded: optional(flag),
  lacking: optional(count),
  version: optional(text),
  unknown: optional(
    object<UnknownNames>({
      types: list(pair(text, number)),
      fields: list(pair(text, number)),
      more: optional(number),
    }),
  ),
  packed: optional(compressedBlobs),
  bundled: optional(flag),
  origin: optional(origin),
  claim: optional(object<StoredClaim>({ silent: optional(always), subagent: optional(always) })),
}

export const nativeHead: Schema<NativeHead> = object<NativeHead>(
  { ...headFields, earlier: optional(list(prefix)) },
  visitHead,
)

export const sourceHead: Schema<SourceHead> = object<SourceHead>(sourceFields, visitHead)

export const exportHead: Schema<ExportHead> = object<ExportHead>(
  { ...sourceFields, format: text, written: prefix, tip: oid, onto: optional(text) },
  visitHead,
)

const spawn: Schema<Spawn> = object<Spawn>({
  caller: optional(text),
  call: optional(text),
  type: optional(text),
  description: optional(text),
  fork: optional(always),
  depth: optional(number),
})

const git: Schema<GitFacts> = object<GitFacts>({
  branch: optional(text),
  commit: optional(text),
  repository: optional(text),
  branches: optional(list(text)),
  commits: optional(list(text)),
  repositories: optional(list(text)),
})

export const sessionMeta: Schema<SessionMeta> = object<SessionMeta>({
  format: text,
  title: optional(text),
  cwd: optional(text),
  created: optional(number),
  native: optional(text),
  path: optional(text),
  page: optional(text),
  folders: optional(list(text)),
  git: optional(git),
  pullRequests: optional(list(text)),
  prompt: optional(text),
  renamed: optional(flag),
  moved: optional(list(pair(text, text))),
  parent: optional(text),
  caller: optional(text),
  continuedIn: optional(text),
  agents: optional(map(oid)),
  asks: optional(map(oid)),
  waits: optional(map(text)),
  spawned: optional(map(spawn)),
  run: optional(text),
  set: optional(map(text)),
  fork: optional(
    object<NonNullable<SessionMeta['fork']>>({
      base: list(prefix),
      entries: count,
      from: optional(text),
      openings: optional(list(text)),
    }),
  ),
})
