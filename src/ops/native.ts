import { reachable } from '../graph/walk.ts'
import { mapLinks } from '../model/entry.ts'
import { type Json, type JsonObject, jsonText } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import type { Backend, Row } from '../repo/backend.ts'
import { RecordFinder } from '../repo/records.ts'
import { logsOf, type Session, tipOf } from '../repo/session.ts'
import { iso } from '../repo/time.ts'

const utf8 = new TextEncoder()

/**
 * Gives a session as one JSON line per entry, parents before children, which imports to the same oids. The line of
 * the entry that the session stands on says `head` where it is not the last; where it stands on none the first line
 * says so, with a `head` that is null.
 */
export async function* nativeLines(backend: Backend, session: Session): AsyncGenerator<Uint8Array> {
  const tip = tipOf(session)
  const tips = new Set([...session.branches.values(), ...(tip ? [tip] : [])])
  const starts: Row[] = []
  for (const oid of tips) starts.push((await backend.find(oid)) as Row)
  const rows = [...(await reachable(starts, (row) => backend.node(row)))].sort((a, b) => a - b)
  const finder = new RecordFinder(backend, logsOf(session))
  const described = { title: session.meta.title, cwd: session.meta.cwd }
  let first = true
  try {
    for (const row of rows) {
      const line = await nativeLine(backend, row, { finder })
      const head = (line.oid as Oid) === tip && row !== rows.at(-1) ? { head: true } : {}
      const about = first ? { session: session.id, ...(tip ? {} : { head: null }), ...described } : {}
      first = false
      yield utf8.encode(`${jsonText({ ...line, ...head, ...about })}\n`)
    }
  } finally {
    await finder.close()
  }
}

/** Gives an entry as the JSON object that stands for it in sess's own format; its `body` where it was read before. */
export async function nativeLine(
  backend: Backend,
  row: Row,
  { finder, body }: { readonly finder?: RecordFinder; readonly body?: Json },
): Promise<Record<string, Json>> {
  const { parents, type, links } = await backend.node(row)
  const oids = (rows: readonly Row[]): Promise<Oid[]> => Promise.all(rows.map(async (r) => backend.oid(r)))
  const named: JsonObject = { ...(await mapLinks(links, (link) => backend.oid(link))) }
  const found = await finder?.find(row)
  return {
    oid: await backend.oid(row),
    parents: await oids(parents),
    type,
    body: body ?? (await backend.body(row)),
    ...(Object.keys(named).length === 0 ? {} : { links: named }),
    ...(finder ? { time: iso(found?.time) } : {}),
  }
}
