import { hashed, hashObject } from '../../verbs/hash-object.ts'
import { hashObjectWrite } from '../../verbs/hash-object-write.ts'
import { defineCommand } from '../define.ts'
import { draftsOf } from '../entryinput.ts'
import { flag } from '../parameters.ts'
import { outputOf } from '../present.ts'
import { lineBatches } from '../stdin.ts'

/** `sess hash-object`: computes the oids of entries, or stores the entries. */
export const command = defineCommand({
  effect: hashObjectWrite.effect,
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
  output: outputOf('A line for each entry.', hashObject.output),
  run: async (call, { write, z }, out) => {
    let first = 1
    await call.announceInput('type one JSON object per line')
    for await (const lines of lineBatches(call.platform.stdin, z)) {
      const { entries, wrong } = draftsOf(lines, first)
      first += lines.length
      const made = write
        ? await hashObjectWrite.run(await call.context(), { entry: entries })
        : await hashed(entries, () => call.repo())
      for (const one of made) void out.record(one.oid, one, z)
      await call.io.flushData()
      if (wrong) throw wrong
    }
  },
})
