import { isOid, type Oid } from '../../model/oid.ts'
import { type Draft, hashDraft, storeDrafts } from '../../ops/hashobject.ts'
import { revParse } from '../../ops/revparse.ts'
import type { Call, Define } from '../call.ts'
import { draftsOf, lineBatches } from '../entries.ts'
import { examples } from '../examples.ts'

interface Options {
  readonly write?: boolean
  readonly z?: boolean
}

/** `sess hash-object`: gives the oids of entries, and stores them where that is asked for. */
export const define: Define = (command, act) => {
  command
    .option('-w, --write', 'store the entries')
    .option('--stdin', 'accepted for compatibility with git; standard input is always read')
    .option('-z', 'separate lines with NUL, on standard input too')
    .addHelpText(
      'after',
      `
Each line of standard input is one JSON object {"type","body","parents","links"}, as sess cat-file prints it.
Parents are revisions or, with -w, oids of earlier lines; an entry without parents starts a conversation. No ref names
the stored entries: use sess update-ref to make a branch. If all parents are full oids, no store is needed.`,
    )
    .action(
      act(async (call, { write = false, z = false }: Options) => {
        let first = 1
        for await (const lines of lineBatches(call.world.stdin, z)) {
          const { entries, wrong } = draftsOf(lines, first)
          first += lines.length
          for (const oid of write
            ? await storeDrafts(await call.repo(), entries)
            : await hashes(call, entries))
            void call.io.record(oid, { oid }, z)
          await call.io.flushData()
          if (wrong) throw wrong
        }
      }),
    )
  examples(command, [
    [`echo '{"body":{"role":"user","content":"Hi"}}' | sess hash-object`, 'compute the oid of a first entry'],
    ['sess cat-file 019d4e07~2 | sess hash-object', 'verify the oid of an entry'],
    [
      `echo '{"body":{"role":"user","content":"Why?"},"parents":["3b1f~4"]}' | sess hash-object -w`,
      'store a child of an entry',
    ],
  ])
}

async function hashes(call: Call, drafts: readonly Draft[]): Promise<Oid[]> {
  const oids: Oid[] = []
  const find = async (revision: string): Promise<Oid> =>
    isOid(revision) ? revision : revParse(await call.repo(), revision)
  for (const draft of drafts) oids.push(await hashDraft(draft, find))
  return oids
}
