import { type Links, mapLinks } from '../../model/entry.ts'
import { iso } from '../../model/iso.ts'
import { type Json, type JsonObject, jsonText } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import type { Draft, Lines, Writer } from '../write.ts'

/**
 * Writes an entry a line, which imports to the same oids. The line of the entry that the session stands on says `head`
 * where it is not the last; where it stands on none the first line
 * says so, with a `head` that is null. The first line says what is known of the session.
 */
export const writer: Writer = {
  branched: true,
  unresumed: 'sess itself imports it',
  place: ({ id }) => [`${id}.jsonl`],
  lines,
}

async function* lines(draft: Draft): Lines {
  let at = 0
  for await (const { links, parents, time, ...entry } of draft.entries()) {
    const named = await mapLinks(links, (link) => draft.oid(link))
    const above = await Promise.all(parents.map((parent) => draft.oid(parent)))
    const line: JsonObject = {
      ...entryLine({ ...entry, parents: above, links: named }),
      time: iso(time),
      ...(at === draft.tip && at !== draft.count - 1 ? { head: true } : {}),
      ...(at === 0 ? about(draft) : {}),
    }
    yield { text: `${jsonText(line)}\n`, entry: at++ }
  }
}

const about = ({ id, tip, title, cwd }: Draft): JsonObject => ({
  session: id,
  ...(tip === undefined ? { head: null } : {}),
  title: title ?? null,
  cwd: cwd ?? null,
})

interface Named {
  readonly oid: Oid
  readonly parents: readonly Oid[]
  readonly type: string
  readonly body: Json
  readonly links: Links
}

/** Gives an entry as the JSON object that stands for it. */
export const entryLine = ({ oid, parents, type, body, links }: Named): JsonObject => ({
  oid,
  parents,
  type,
  body,
  ...(Object.keys(links).length === 0 ? {} : { links: { ...links } }),
})
