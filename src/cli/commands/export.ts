import { Option } from 'commander'
import type { Loss } from '../../formats/losses.ts'
import { WRITABLE } from '../../formats/writers.ts'
import { SessError } from '../../model/errors.ts'
import { exportTo, exportToAgent, type Files } from '../../ops/export/exportto.ts'
import { type ExportOptions, exportSession } from '../../ops/export.ts'
import { homeOf } from '../../repo/location.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Written } from '../../sources/newfile.ts'
import { loadSecretList } from '../../sources/secretlist.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import type { Io } from '../io.ts'
import { writeFolder, writeNew } from '../newfile.ts'
import { count, filled } from '../options.ts'
import { shellLine, typed } from '../quoted.ts'
import { Losses } from '../render/losses.ts'

interface Options extends Omit<ExportOptions, 'onLoss' | 'redact'> {
  readonly out?: string
  readonly force?: boolean
  readonly toAgent?: boolean
  readonly redact?: boolean
}

/** `sess export`: gives the bytes of a session. */
export const define: Define = (command, act) => {
  command
    .argument('<session>', 'its id, title, or a prefix of its id; or an entry, for the path to it')
    .addOption(new Option('--format <name>', 'convert to another format').choices(NAMES))
    .option('--branch <branch>', 'export only the path to a branch or label')
    .option('--below <revision>', 'export only an entry, its descendants and the path to it')
    .option('--bare', 'with --below: without the path')
    .option('--bytes <n>', 'export only the first N bytes', count)
    .option('--out <path>', 'write to a new file or into a folder', filled)
    .option('--to-agent', 'install it for the agent of the format, and print the command that resumes it')
    .option('--redact', 'mask secrets')
    .option('--force', 'with --out: overwrite an existing file')
    .addHelpText('after', `\n${ABOUT}`)
    .action(
      act(async (call, session: string, { redact = false, ...given }: Options) => {
        const { out, force = false, toAgent = false, ...options } = given
        if (options.bare && options.below === undefined) throw without('--bare', '--below REVISION')
        if (force && out === undefined) throw without('--force', '--out FILE')
        if (options.branch !== undefined && options.below !== undefined)
          throw new SessError('bad-usage', '--branch and --below exclude each other', HOW)
        if (toAgent && (out !== undefined || options.bytes !== undefined))
          throw new SessError('bad-usage', '--to-agent goes with neither --out nor --bytes', HOW)
        const losses = new Losses()
        const onLoss = (loss: Loss): void => losses.add(loss)
        const told = { ...options, onLoss, ...(redact && { redact: await loadSecretList() }) }
        const repo = await call.repo()
        if (toAgent) await toAgents(call, repo, session, told, losses)
        else if (out === undefined) {
          for await (const piece of exportSession(repo, session, { ...told, lent: true }))
            await call.io.bytes(piece)
          if (call.io.json && !losses.none) await call.io.noteData({ losses: losses.data() })
          else tell(call.io, losses)
        } else {
          const isPart = options.bytes !== undefined || repo.atOperation !== undefined
          const written = isPart
            ? await writeNew(call, out, exportSession(repo, session, told), { force })
            : (await exportTo(repo, session, out, { ...told, force }, filesOf(call))).file
          if (call.io.json) await call.io.data({ session, ...written, losses: losses.data() })
          else {
            await call.io.note(wrote(written))
            await tellRenamed(call.io, written)
            tell(call.io, losses)
          }
        }
      }),
    )
  examples(command, [
    ['sess export 3b1f > copy.jsonl', 'the file as the agent wrote it'],
    ['sess export 3b1f --out again.jsonl', 'the same, into a new file'],
    ['sess export 3b1f --format pi > pi.jsonl', 'for another agent'],
    ['sess export 3b1f --format codex --to-agent', 'install it for Codex, and print how to resume it'],
    ['sess export 3b1f --branch main --out main.jsonl', 'one branch of it'],
    ['sess export 3b1f --format html --out page.html', 'a web page'],
    ['sess export 3b1f --redact --out shared.jsonl', 'mask keys and tokens before sharing'],
  ])
}

const NAMES = WRITABLE.map(({ name }) => name)

const HOW = { hint: "type 'sess help export' to see how it is used" }

const without = (option: string, other: string): SessError =>
  new SessError('bad-usage', `${option} needs ${other}`, HOW)

function tell(io: Io, losses: Losses): void {
  for (const line of losses.lines()) void io.note(...line)
}

async function tellRenamed(io: Io, { renamed = [] }: Written): Promise<void> {
  for (const { name, as } of renamed) await io.note(`no file can be called '${name}' here: it is ${as}`)
}

/** Writes files with progress, or counts them in a dry run. */
const filesOf = (call: Call): Files => ({
  dryRun: call.dryRun,
  file: (path, pieces, options) => writeNew(call, path, pieces, options),
  folder: (path, files) => writeFolder(call, path, files),
})

/** Writes a session where an agent looks, and prints the command that goes on with it there. */
async function toAgents(
  call: Call,
  repo: Repo,
  session: string,
  options: ExportOptions,
  losses: Losses,
): Promise<void> {
  const { io, world } = call
  const machine = { home: homeOf(world), variables: world.variables }
  const { file, id, cwd, format, command, take, opens } = await exportToAgent(
    repo,
    session,
    { ...options, ...machine },
    filesOf(call),
  ).catch((error: unknown) => {
    throw isThere(error) ? error.with({ hint: resumeHint(session, options) }) : error
  })
  if (io.json) {
    const data = { session, ...file, losses: losses.data(), id, format, cwd, command }
    await io.data({ ...data, ...(take && { take }), ...(opens !== undefined && { opens }) })
    return
  }
  await io.note(wrote(file))
  await tellRenamed(io, file)
  tell(io, losses)
  if (opens !== undefined) await io.note(opens)
  else await io.print(shellLine([...(take ? [take] : []), command], cwd, world.env.cwd))
}

const isThere = (error: unknown): error is SessError => error instanceof SessError && error.code === 'exists'

const resumeHint = (session: string, { format }: ExportOptions): string =>
  `go on with it there: 'sess resume ${typed(session)}${format === undefined ? '' : ` --format ${format}`}'; nothing was overwritten`

const wrote = ({ bytes, path, replaced, files }: Written): string =>
  `Wrote ${files === undefined ? '' : `${files} files, `}${bytes} bytes${files === undefined ? '' : ','} to ${path}${replaced === null ? '' : `, where ${replaced} bytes were`}`

const ABOUT = `An imported session is exported exactly as it was read. With --format, --branch or --below, and for a session that
was created in sess, the entries are written instead: in the format named, else in the session's own, else as sess JSON
Lines, which import to the same oids. Losses of the format are listed on stderr, with --json as data.
Files written with --out or --to-agent are remembered: imported again after their agent has added to them, they continue
the session.`
