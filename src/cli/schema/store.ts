import { about, count, type Described, either, list, nullable, object, text, truth, word } from './build.ts'

const value = { type: ['string', 'number', 'boolean'] }

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
  config: about(
    'A line for each setting; one object where one is changed (before: what the file said; null where nothing).',
    either(
      object({
        key: text,
        value,
        origin: word('default', 'environment', 'user', 'store'),
        from: nullable(text),
      }),
      object({ key: text, value: nullable(value), before: {}, for: word('user', 'store'), path: text }),
    ),
  ),
}
