import { about, count, type Described, list, object, text, truth } from './build.ts'

/** What the commands print that look after the store. */
export const store: Readonly<Record<string, Described>> = {
  stats: about(
    'One object.',
    object({
      sessions: count,
      records: count,
      entries: count,
      blobs: count,
      sourceBytes: count,
      storeBytes: count,
    }),
  ),
  fsck: about(
    'One object.',
    object({
      ok: truth,
      findings: list(object({ code: text, subject: text, message: text })),
      checked: object({ entries: count, sessions: count, records: count, operations: count }),
    }),
  ),
}
