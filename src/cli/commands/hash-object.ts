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
    .option('-w, --write', 'store the entries too')
    .option('--stdin', 'as git has it: standard input is read in any case')
    .option('-z', 'end each line with a NUL, on standard input too')
    .addHelpText(
      'after',
      '\nEach line of standard input is one JSON object {"type","body","parents","links"}, as sess cat-file prints it.\n' +
        'Parents are revisions, or oids of lines before with -w; none begin a conversation. What is stored nothing\n' +
        'names yet: sess update-ref makes a branch of it. No parent is asked of a store where all are whole oids.',
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
    [
      `echo '{"body":{"role":"user","content":"Hi"}}' | sess hash-object`,
      'what the oid of a conversation that begins so is',
    ],
    ['sess cat-file 019d4e07~2 | sess hash-object', 'check an entry by computing its oid anew'],
    [
      `echo '{"body":{"role":"user","content":"Why?"},"parents":["3b1f~4"]}' | sess hash-object -w`,
      'store an entry that follows another',
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
