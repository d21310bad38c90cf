import {
  about,
  anything,
  count,
  type Described,
  either,
  list,
  nullable,
  object,
  text,
  truth,
  word,
} from './build.ts'
import { oid } from './parts.ts'
import { graft } from './start.ts'

const value = { type: ['string', 'number', 'boolean'] }

const found = object(
  {
    ok: truth,
    findings: list(
      object({
        code: text,
        subject: text,
        message: text,
        refs: about('the refs that it hurts', list(text)),
        lastGood: about('the nearest entry before it that is whole', nullable(oid)),
        hint: text,
      }),
    ),
    lacking: about(
      'entries that lack the parent which their source names, and how many of them a graft joins',
      list(object({ session: text, lacking: count, grafted: count })),
    ),
    checked: object({ entries: count, sessions: count, records: count, operations: count }),
  },
  { grafts: about('with --relink', list(graft)) },
)

/** The output of commands that maintain the store. */
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
    'One object; with --repair done is null where nothing was wrong, or nothing was to be changed.',
    either(
      found,

      object({
        before: found,
        done: nullable(
          object({
            pairs: about('of the database that were carried over', count),
            dropped: about('that failed their checksum', count),
            operations: about('the numbers of those that only the journal tells of', list(count)),
            written: about('the small files of the folder that were written again', list(text)),
            aside: about('the folder in which what was there before lies, if anything', nullable(text)),
            refs: list(object({ name: text, old: anything, new: anything })),
            lost: about('the refs whose newest known value is lost', list(text)),
            entries: about('brought back from another store, or from source files', count),
            after: found,
          }),
        ),
      }),
    ),
  ),
  backup: about(
    'One object.',
    either(
      object({ from: text, to: text, files: count, bytes: count, kept: count }),
      object({ ok: truth, problems: list(text) }),
    ),
  ),
  scan: about(
    'A line for each place of a secret.',
    object({
      session: nullable(text),
      oid: nullable(oid),
      field: about('where in the record, or what else holds it', text),
      rule: text,
      masked: about('its first characters, and how many it has', text),
      secret: about('8 hex digits, the same for the same secret in this store', text),
    }),
  ),
  redact: about(
    'One object; session is null where nothing was to be replaced.',
    object({
      session: nullable(text),
      from: text,
      tip: nullable(oid),
      replaced: count,
      secrets: about('by the 8 digits that scan tells', list(text)),
    }),
  ),
  gc: about(
    'One object: what goes, in canonical bytes, and the bytes of the store before and after.',
    object({
      dryRun: truth,
      dropped: list(
        object({
          kind: word('entries', 'records', 'operations'),
          why: word('undone', 'unnamed', 'old'),
          count,
          bytes: count,
        }),
      ),
      kept: object({ entries: count, operations: count }),
      spared: count,
      before: count,
      after: nullable(count),
    }),
  ),
  expunge: about(
    'One object.',
    object({
      entries: about('that say less now', list(oid)),
      records: count,
      secrets: about('by the 8 digits that scan tells', list(text)),
      left: about('copies that other processes still read', list(text)),
      aside: about('what fsck --repair had set aside, which went with it', list(text)),
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
