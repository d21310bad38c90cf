import { SessError } from '../../model/errors.ts'
import { type RefUpdate, updateRefs } from '../../ops/updateref.ts'
import type { Define } from '../call.ts'
import { textOf } from '../entries.ts'
import { examples } from '../examples.ts'
import { updatesOf, updatesOfZero, valueOrNone } from '../refupdates.ts'

interface Options {
  readonly delete?: boolean
  readonly stdin?: boolean
  readonly z?: boolean
}

/** `sess update-ref`: moves refs, each only from the value that it is expected to have. */
export const define: Define = (command, act) => {
  command
    .argument('[name]', 'a branch, label or HEAD of a session, as sess for-each-ref names it')
    .argument('[new]', 'the new value: a revision, for a HEAD also ref:BRANCH or root:; zeros delete it')
    .argument('[old]', 'the expected value; zeros if the ref must not exist')
    .option('-d, --delete', 'delete the ref: update-ref -d NAME [OLD]')
    .option('--stdin', 'read commands from standard input')
    .option('-z', 'with --stdin: separate lines and fields with NUL')
    .addHelpText(
      'after',
      '\nWith --stdin, each line is one of:\n' +
        '  update NAME NEW [OLD]\n' +
        '  create NAME NEW\n' +
        '  delete NAME [OLD]\n' +
        '  verify NAME [OLD]\n' +
        'Either all of it happens or nothing. Prints nothing, or with --json and -n a line for each ref that moves.',
    )
    .action(
      act(async (call, name?: string, value?: string, old?: string, options: Options = {}) => {
        const typed = [name, value, old].filter((word) => word !== undefined)
        const updates = options.stdin
          ? await read(call.world.stdin, typed, options)
          : [one(typed, options.delete ?? false)]
        const moved = await updateRefs(await call.repo(), updates)
        if (!call.io.json && !call.dryRun) return
        for (const ref of moved) {
          const line = [ref.name, ref.old ?? NONE, ref.new ?? NONE].join(' ')
          await call.io.record(line, ref, options.z)
        }
      }),
    )
  examples(command, [
    [
      'sess update-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/before 3b1f~3',
      'create or move a branch',
    ],
    [
      "echo 'verify sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main 3b1f' | sess update-ref --stdin",
      'verify the value of a branch',
    ],
  ])
}

/** Stands for a missing ref in a line. */
const NONE = '0'.repeat(64)

const HOW = { hint: "type 'sess help update-ref' to see how it is used" }

async function read(
  stdin: AsyncIterable<Uint8Array>,
  typed: readonly string[],
  options: Options,
): Promise<RefUpdate[]> {
  if (typed.length > 0 || options.delete) throw new SessError('bad-usage', '--stdin takes no ref', HOW)
  const text = await textOf(stdin)
  return options.z ? updatesOfZero(text) : updatesOf(text)
}

function one([name, ...values]: readonly string[], remove: boolean): RefUpdate {
  const [to, from] = remove ? ['', ...values] : values
  if (name === undefined || to === undefined)
    throw new SessError('bad-usage', 'no ref or no value was named', HOW)
  if (values.length > (remove ? 1 : 2)) throw new SessError('bad-usage', '-d takes NAME and OLD', HOW)
  return { name, to: valueOrNone(to), ...(from === undefined ? {} : { from: valueOrNone(from) }) }
}
