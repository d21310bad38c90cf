import { Option } from 'commander'
import { WRITABLE } from '../../formats/writers.ts'
import { SessError } from '../../model/errors.ts'
import { type ExportOptions, exportSession } from '../../ops/export.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import type { Io } from '../io.ts'
import { writeNew } from '../newfile.ts'
import { count } from '../options.ts'
import { Losses } from '../render/losses.ts'

interface Options extends Omit<ExportOptions, 'onLoss'> {
  readonly out?: string
  readonly force?: boolean
}

/** `sess export`: gives the bytes of a session. */
export const define: Define = (command, act) => {
  command
    .argument('<session>', 'its id, title, or a prefix of its id; or an entry, for the path to it')
    .addOption(new Option('--format <name>', 'write it as another format has it').choices(NAMES))
    .option('--branch <branch>', 'only the path to a branch or a label')
    .option('--below <revision>', 'only an entry and all that continues it, with the path to it')
    .option('--bare', 'with --below: without that path')
    .option('--bytes <n>', 'only the first N bytes', count)
    .option('--out <file>', 'write to a new file instead of standard output')
    .option('--force', 'with --out: replace a file that is there')
    .addHelpText('after', `\n${ABOUT}`)
    .action(
      act(async (call, session: string, { out, force = false, ...options }: Options) => {
        if (options.bare && options.below === undefined) throw without('--bare', '--below REVISION')
        if (force && out === undefined) throw without('--force', '--out FILE')
        if (options.branch !== undefined && options.below !== undefined)
          throw new SessError('bad-usage', '--branch and --below exclude each other', HOW)
        const losses = new Losses()
        const repo = await call.repo()
        const pieces = exportSession(repo, session, { ...options, onLoss: (loss) => losses.add(loss) })
        if (out === undefined) {
          for await (const piece of pieces) await call.io.bytes(piece)
          if (call.io.json && !losses.none) await call.io.noteData({ losses: losses.data() })
          else tell(call.io, losses)
          return
        }
        const written = await writeNew(call, out, pieces, { force })
        if (call.io.json) await call.io.data({ session, ...written, losses: losses.data() })
        else {
          const before = written.replaced === null ? '' : `, where ${written.replaced} bytes were`
          await call.io.note(`Wrote ${written.bytes} bytes to ${written.path}${before}`)
          tell(call.io, losses)
        }
      }),
    )
  examples(command, [
    ['sess export 3b1f > copy.jsonl', 'the file as its agent wrote it'],
    ['sess export 3b1f --out again.jsonl', 'the same, and never over a file that is there'],
    ['sess export 3b1f --format pi > pi.jsonl', 'the same session for another agent'],
    ['sess export 3b1f --branch main --out main.jsonl', 'one branch of it'],
    ['sess export 3b1f --format html --out page.html', 'a page to read and to show'],
  ])
}

const NAMES = WRITABLE.map(({ name }) => name)

const HOW = { hint: "type 'sess help export' to see how it is used" }

const without = (option: string, other: string): SessError =>
  new SessError('bad-usage', `${option} needs ${other}`, HOW)

function tell(io: Io, losses: Losses): void {
  for (const line of losses.lines()) void io.note(...line)
}

const ABOUT = `A session that was imported comes back exactly as it was read. With --format, --branch or --below, and where
it was made here, its entries are written instead: in the format that is named, else in its own, else as sess's own JSON
lines, which import to the same oids. What that format cannot carry is told on stderr, with --json as data.`
