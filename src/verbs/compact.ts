import { defined } from '../model/json.ts'
import { compact as compactPath } from '../ops/compact.ts'
import { current, optional } from './input.ts'
import { boolean, integer, nullable, object, string } from './schema.ts'
import { summaryOf } from './summary.ts'
import { count, revision, session, text } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const compact = verb({
  name: 'compact',
  summary: 'replace the start of a path by a summary',
  effect: 'write',
  input: {
    revision: current(revision(), 'a session, a branch or an entry'),
    keepTokens: optional(count(), 'how many tokens to keep, estimated (20000); 0 for none'),
    keepFrom: optional(revision(), 'the first entry to keep'),
    branch: optional(text('name'), 'create a branch for it and leave the current one as it is'),
    session: optional(session(), 'the session, if the revision names none'),
    summary: optional(text('text'), 'the summary'),
  },
  output: output(
    object({
      session: string,
      branch: nullable(string),
      created: boolean,
      oid: oidSchema,
      before: oidSchema,
      firstKept: nullable(oidSchema),
      summarized: integer,
      kept: integer,
      tokensBefore: integer,
      tokensAfter: integer,
      summary: string,
    }),
  ),
  run: (context, { revision: name, keepTokens, keepFrom, branch, session: owner, summary }) =>
    compactPath(context.repo, name, {
      ...defined({ keepTokens, keepFrom, branch, session: owner }),
      ...summaryOf(context, summary),
    }),
})
