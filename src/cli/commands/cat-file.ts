import { SessError } from '../../model/errors.ts'
import { catFile, catFiles } from '../../ops/catfile.ts'
import type { Define } from '../call.ts'
import { lineBatches } from '../entries.ts'
import { examples } from '../examples.ts'

interface Options {
  readonly batch?: boolean
  readonly z?: boolean
}

/** `sess cat-file`: gives entries as JSON. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session or an entry')
    .option('--batch', 'read one revision per line of standard input, print one line for each')
    .option('-z', 'separate lines with NUL, on standard input too')
    .addHelpText(
      'after',
      `
The format is that of sess export: {"oid","parents","type","body","links"}. With --batch, the answer to an unknown
revision is {"missing":REVISION}, and to an ambiguous one {"ambiguous":REVISION}.`,
    )
    .action(
      act(async (call, revision: string | undefined, { batch = false, z = false }: Options) => {
        const { io } = call
        if ((revision === undefined) !== batch)
          throw new SessError('bad-usage', batch ? '--batch takes no revision' : 'no revision was named', {
            hint: "type 'sess cat-file REVISION', or give revisions on standard input with --batch",
          })
        const repo = await call.repo()
        if (revision !== undefined) {
          await io.data(await catFile(repo, revision), z)
          return
        }
        for await (const lines of lineBatches(call.world.stdin, z)) {
          for (const file of await catFiles(repo, lines.map(textOf))) await io.data(file, z)
          // An interactive client waits for each answer.
          await io.flushData()
        }
      }),
    )
  examples(command, [
    ['sess cat-file 3b1f~2', 'one entry'],
    ['sess rev-list 3b1f | sess cat-file --batch', 'all entries of a path, in one process'],
  ])
}

const utf8 = new TextDecoder()

/** Bytes that are not UTF-8 name nothing and get that answer. */
const textOf = (line: Uint8Array): string => utf8.decode(line)
