import { exportSession } from '../../ops/export.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { writeNew } from '../newfile.ts'
import { count } from '../options.ts'

interface Options {
  readonly bytes?: number
  readonly out?: string
}

/** `sess export`: gives the bytes of a session. */
export const define: Define = (command, act) => {
  command
    .argument('<session>', 'its id, title, or a prefix of its id')
    .option('--bytes <n>', 'only the first N bytes', count)
    .option('--out <file>', 'write to a new file instead of standard output')
    .addHelpText(
      'after',
      '\nA session that was imported comes back exactly as it was read. One that was made here is written as one\n' +
        'JSON line per entry, which imports to the same oids.',
    )
    .action(
      act(async (call, session: string, { bytes, out }: Options) => {
        const repo = await call.repo()
        const pieces = exportSession(repo, session, bytes === undefined ? {} : { bytes })
        if (out === undefined) {
          for await (const piece of pieces) await call.io.bytes(piece)
          return
        }
        const written = await writeNew(call, out, pieces)
        if (call.io.json) await call.io.data({ session, ...written })
        else await call.io.note(`Wrote ${written.bytes} bytes to ${written.path}`)
      }),
    )
  examples(command, [
    ['sess export 3b1f > copy.jsonl', 'the file as its agent wrote it'],
    ['sess export 3b1f --out again.jsonl', 'the same, and never over a file that is there'],
  ])
}
