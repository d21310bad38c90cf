import { about, type Described, either, nullable, object, type Schema, text } from './build.ts'
import { branch, head, oid } from './parts.ts'

const renamed = object({ ...(branch.properties as Schema), before: text })

/** What the commands print that add to sessions and move their branches. */
export const change: Readonly<Record<string, Described>> = {
  append: about(
    'A line for each entry, once it is durable; with --new a line with the session first.',
    either(object({ oid }), object({ session: text })),
  ),
  fork: about('One object.', object({ session: text, tip: oid })),
  branch: about(
    'A line for each branch; one object where one is made, renamed (before: its old name) or removed.',
    either(branch, renamed, object({ deleted: text, oid })),
  ),
  switch: about(
    'One object.',
    object({ session: text, head, tip: oid, before: head, beforeTip: nullable(oid) }),
  ),
}
