import { SessError } from '../../model/errors.ts'
import { catFile, oneFile } from '../../verbs/cat-file.ts'
import { defineCommand } from '../define.ts'
import { flag, optional, revision } from '../parameters.ts'
import { outputOf } from '../present.ts'
import { lineBatches } from '../stdin.ts'

/** `sess cat-file`: prints entries as JSON. */
export const command = defineCommand({
  effect: catFile.effect,
  arguments: { revision: optional(revision(), 'a session or an entry') },
  options: {
    batch: flag('read one revision per line of standard input, print one line for each', {
      excludes: ['revision'],
    }),
    z: flag('separate lines with NUL, on standard input too'),
  },
  help: `The format is that of sess export: {"oid","parents","type","body","links"}. With --batch, the answer to an unknown
revision is {"missing":REVISION}, and to an ambiguous one {"ambiguous":REVISION}.`,
  examples: [
    ['sess cat-file 3b1f~2', 'one entry'],
    ['sess rev-list 3b1f | sess cat-file --batch', 'all entries of a path, in one process'],
  ],
  output: outputOf(
    'One object, or with --batch a line for each line that was read. It does not need --json.',
    catFile.output,
  ),
  run: async (call, { revision: name, batch, z }, out) => {
    if (name === undefined && !batch)
      throw new SessError('bad-usage', 'no revision was named', {
        hint: "type 'sess cat-file REVISION', or give revisions on standard input with --batch",
      })
    const context = await call.context()
    if (name !== undefined) {
      await out.data(await oneFile(context, name), z)
      return
    }
    await call.announceInput('type one revision per line')
    for await (const lines of lineBatches(call.platform.stdin, z)) {
      for (const file of await catFile.run(context, { revision: lines.map(revisionIn) }))
        await out.data(file, z)
      // An interactive client waits for each answer.
      await call.io.flushData()
    }
  },
})

const utf8 = new TextDecoder()

/** Bytes that are not UTF-8 name nothing and get that answer. */
const revisionIn = (line: Uint8Array): string => utf8.decode(line)
