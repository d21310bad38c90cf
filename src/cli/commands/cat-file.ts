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
    .option('--batch', 'read revisions from standard input, one a line, and answer each with a line')
    .option('-z', 'end each line with a NUL, on standard input too')
    .addHelpText(
      'after',
      '\nThe line is what sess export writes: {"oid","parents","type","body","links"}. With --batch a revision\n' +
        'that names nothing gives {"missing":REVISION}, one that names several things {"ambiguous":REVISION}.',
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
          // Whoever asks one by one waits for the answer.
          await io.flushData()
        }
      }),
    )
  examples(command, [
    ['sess cat-file 3b1f~2', 'one entry'],
    ['sess rev-list 3b1f | sess cat-file --batch', 'all entries of a path, by one process'],
  ])
}

const utf8 = new TextDecoder()

/** What is no UTF-8 names nothing, and is answered so. */
const textOf = (line: Uint8Array): string => utf8.decode(line)
