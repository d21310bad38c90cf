import type { Oid } from '../../src/model/encoding/oid.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import { branchRef, headRef, labelRef, metaRef, sourceLogRef } from '../../src/model/refname.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { refValue, type SessionMeta, type SourceHead } from '../../src/repo/session.ts'
import { add, BEGIN } from './store.ts'

export interface Planned extends Partial<SessionMeta> {
  /** The messages on `main` in order; their native ids are `n0`, `n1`, … */
  readonly texts?: readonly string[]
  readonly updated?: number
  readonly branches?: { readonly [name: string]: Oid }
  readonly labels?: { readonly [name: string]: Oid }
  readonly detached?: Oid
}

/** Makes a session as import would, under a chosen id, and returns the oids of its entries. */
export function makeSession(repo: Repo, id: string, planned: Planned = {}): Promise<Oid[]> {
  const { texts = [], updated = BEGIN, branches = {}, labels = {}, detached, ...more } = planned
  return repo.write({}, ({ writer, move }) => {
    const meta: SessionMeta = {
      format: 'sess',
      title: null,
      cwd: null,
      created: BEGIN,
      native: null,
      path: null,
      ...more,
    }
    const log = writer.newLog()
    const entries: { handle: EntryHandle; oid: Oid }[] = []
    for (const [i, text] of texts.entries()) {
      const before = entries.at(-1)
      entries.push(add(writer, text, ...(before ? [before] : [])))
      const { handle } = entries[i] as { handle: EntryHandle }
      const content = { shape: '{}', values: [], spelling: '' }
      writer.appendRecord(log, i, {
        entry: handle,
        tip: handle,
        native: `n${i}`,
        time: BEGIN + i,
        lead: new Uint8Array(0),
        content,
      })
    }
    const head: SourceHead = {
      log,
      count: texts.length,
      entries: texts.length,
      hash: 'ab'.repeat(32),
      updated,
      reading: 1,
      bytes: 0,
      sha256: 'cd'.repeat(32),
      tail: [],
      branches: {},
      salvaged: 0,
    }
    move(metaRef(id), undefined, refValue(meta))
    if (detached) move(headRef(id), undefined, refValue({ oid: detached }))
    move(sourceLogRef(id), undefined, refValue(head))
    const tip = entries.at(-1)?.oid
    if (tip) move(branchRef(id, 'main'), undefined, tip)
    for (const [name, oid] of Object.entries(branches)) move(branchRef(id, name), undefined, oid)
    for (const [name, oid] of Object.entries(labels)) move(labelRef(id, name), undefined, oid)
    return entries.map(({ oid }) => oid)
  })
}
