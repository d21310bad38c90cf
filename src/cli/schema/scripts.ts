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
  word,
} from './build.ts'
import { links, oid } from './parts.ts'

const file = object({ oid, parents: list(oid), type: text, body: anything }, { links })

const value = about('an oid, ref:BRANCH, root:, or null where there is no such ref', nullable(text))

/** The output of the plumbing. */
export const scripts: Readonly<Record<string, Described>> = {
  'rev-parse': about('A line for each revision.', object({ oid }, { short: text })),
  'rev-list': about(
    'A line for each entry, with --parents with its parents; with --count one object.',
    either(object({ oid }, { parents: list(oid) }), object({ count })),
  ),
  'merge-base': about('One object; nothing where there is none.', object({ oid })),
  'hash-object': about('A line for each entry.', object({ oid })),
  'cat-file': about(
    'One object, or with --batch a line for each line that was read. It does not need --json.',
    either(file, object({ missing: text }), object({ ambiguous: text })),
  ),
  'for-each-ref': about(
    'A line for each ref.',
    object({
      name: text,
      kind: word(
        'branch',
        'label',
        'HEAD',
        'leaf',
        'meta',
        'source',
        'native',
        'natives',
        'export',
        'file',
        'other',
      ),
      session: nullable(text),
      short: about('of a branch or label its own name', nullable(text)),
      oid: about('the entry that it names itself', nullable(oid)),
      value: about('what it holds where that is no oid', anything),
    }),
  ),
  'update-ref': about('A line for each ref that moved.', object({ name: text, old: value, new: value })),
  'ls-objects': about(
    'A line for each entry.',
    object({ oid, parents: list(oid), type: text }, { size: about('bytes of its body', count) }),
  ),
}
