import { isOid, type Oid } from '../../model/encoding/oid.ts'
import { type EntryDraft, hashDraft, storeDrafts } from '../../ops/hashobject.ts'
import { revParse } from '../../ops/revparse.ts'
import { object } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { draftsOf } from '../entryinput.ts'
import type { Invocation } from '../invocation.ts'
import { flag } from '../parameters.ts'
import { lineBatches } from '../stdin.ts'

/** `sess hash-object`: computes the oids of entries, or stores the entries. */
export const command = defineCommand({
  effect: 'write',
  options: {
    write: flag('store the entries', { short: 'w' }),
    stdin: flag('accepted for compatibility with git; standard input is always read'),
    z: flag('separate lines with NUL, on standard input too'),
  },
  help: `Each line of standard input is one JSON object {"type","body","parents","links"}, as sess cat-file prints it.
Parents are revisions or, with -w, oids of earlier lines; an entry without parents starts a conversation. No ref names
the stored entries: use sess update-ref to make a branch. If all parents are full oids, no store is needed.`,
  examples: [
    [`echo '{"body":{"role":"user","content":"Hi"}}' | sess hash-object`, 'compute the oid of a first entry'],
    ['sess cat-file 019d4e07~2 | sess hash-object', 'verify the oid of an entry'],
    [
      `echo '{"body":{"role":"user","content":"Why?"},"parents":["3b1f~4"]}' | sess hash-object -w`,
      'store a child of an entry',
    ],
  ],
  output: output('A line for each entry.', object({ oid: oidSchema })),
  run: async (call, { write, z }, out) => {
    let first = 1
    await call.announceInput('type one JSON object per line')
    for await (const lines of lineBatches(call.platform.stdin, z)) {
      const { entries, wrong } = draftsOf(lines, first)
      first += lines.length
      for (const made of write ? await storeDrafts(await call.repo(), entries) : await hashes(call, entries))
        void out.record(made, { oid: made }, z)
      await call.io.flushData()
      if (wrong) throw wrong
    }
  },
})

async function hashes(call: Invocation, drafts: readonly EntryDraft[]): Promise<Oid[]> {
  const oids: Oid[] = []
  const find = async (revision: string): Promise<Oid> =>
    isOid(revision) ? revision : revParse(await call.repo(), revision)
  for (const draft of drafts) oids.push(await hashDraft(draft, find))
  return oids
}
