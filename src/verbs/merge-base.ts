import type { Oid } from '../model/encoding/oid.ts'
import { mergeBaseOf } from '../ops/diff.ts'
import { required } from './input.ts'
import { nullable, object } from './schema.ts'
import { revision } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const baseSchema = object({ oid: oidSchema })

export const mergeBase = verb({
  name: 'merge-base',
  summary: 'print the best common ancestor of two revisions',
  effect: 'read',
  input: { a: required(revision(), 'a session or an entry'), b: required(revision(), 'another') },
  output: sentAs(nullable(baseSchema), (oid: Oid | null) => oid && { oid }),
  run: ({ repo }, { a, b }) => mergeBaseOf(repo, a, b),
})
