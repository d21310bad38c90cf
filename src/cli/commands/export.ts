import type { WrittenFile } from '../../files/newfile.ts'
import { LOSSES, type Loss, type LossCode } from '../../formats/core/losses.ts'
import { WRITABLE } from '../../formats/writable.ts'
import { short } from '../../model/encoding/oid.ts'
import { hasCode } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { addTo } from '../../model/lists.ts'
import { exportTo, exportToAgent, type Files } from '../../ops/export/destinations.ts'
import { type ExportOptions, exportSession } from '../../ops/export/export.ts'
import { homeOf } from '../../repo/environment.ts'
import type { Repo } from '../../repo/repo.ts'
import { loadSecretList } from '../../sources/secretrules.ts'
import { counted, did, grouped, type Line, styled, whole } from '../../text/text.ts'
import {
  arrayOf,
  described,
  integer,
  nullable,
  object,
  oneOf,
  string,
  type ValueOf,
} from '../../verbs/schema.ts'
import { defineCommand, misuse, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { writeFolder, writeNew } from '../outputfile.ts'
import { branch, choice, count, current, file, flag, option, revision, session } from '../parameters.ts'
import { shellLine, typed } from '../shellwords.ts'

const NAMES = WRITABLE.map(({ name }) => name)

const lossSchema = object({
  code: oneOf(...(Object.keys(LOSSES) as LossCode[])),
  message: string,
  count: integer,
  entries: described('the entries that it was lost from', arrayOf(string)),
  subjects: described('the names that were lost', arrayOf(string)),
})

/** `sess export`: exports a session, byte for byte or in another format. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    session: current(session(), 'its id, title, or a prefix of its id; or an entry, for the path to it'),
  },
  options: {
    format: option(choice(NAMES, 'name'), 'convert to another format'),
    branch: option(branch(), 'export only the path to a branch or label', { excludes: ['below'] }),
    below: option(revision(), 'export only an entry, its descendants and the path to it'),
    bare: flag('with --below: without the path', { needs: 'below' }),
    bytes: option(count(), 'export only the first N bytes'),
    out: option(file('path'), 'write to a new file or into a folder'),
    toAgent: flag('install it for the agent of the format, and print the command that resumes it', {
      excludes: ['out', 'bytes'],
    }),
    redact: flag('mask secrets'),
    force: flag('with --out or --to-agent: overwrite an existing file'),
  },
  help: `An imported session is exported exactly as it was read. With --format, --branch or --below, and for a session that
was created in sess, the entries are written instead: in the format named, else in the session's own, else as sess JSON
Lines, which import to the same oids. Losses of the format are listed on stderr, with --json as data.
Files written with --out or --to-agent are remembered: imported again after their agent has added to them, they continue
the session.`,
  examples: [
    ['sess export 3b1f > copy.jsonl', 'the file as the agent wrote it'],
    ['sess export 3b1f --out again.jsonl', 'the same, into a new file'],
    ['sess export 3b1f --format pi > pi.jsonl', 'for another agent'],
    ['sess export 3b1f --format codex --to-agent', 'install it for Codex, and print how to resume it'],
    ['sess export 3b1f --branch main --out main.jsonl', 'one branch of it'],
    ['sess export 3b1f --format html --out page.html', 'a web page'],
    ['sess export 3b1f --redact --out shared.jsonl', 'mask keys and tokens before sharing'],
  ],
  output: output(
    'With --out one object. Without, the session itself is printed, also with --json; what it does not carry is the ' +
      'last line of stderr, {"losses":[…]}.',
    object(
      {
        session: string,
        path: string,
        bytes: integer,
        replaced: described('the size of the file that was replaced', nullable(integer)),
        losses: arrayOf(lossSchema),
      },
      {
        files: described('how many files were written into the folder', integer),
        further: described(
          'with --to-agent: how many more files were written: sidecar files, and sub-agents with theirs',
          integer,
        ),
        renamed: described(
          'files with names that are not allowed there, and their new names',
          arrayOf(object({ name: string, as: string })),
        ),
        id: described('with --to-agent: the id that the session has there', string),
        format: string,
        cwd: described('the folder in which to start the agent', string),
        command: described('the command that resumes it there, as a list of arguments', arrayOf(string)),
        take: described('the command to run first, by which the agent imports the file', arrayOf(string)),
        opens: described('how to open it if the agent has no command; that is empty then', string),
      },
    ),
  ),
  run: async (call, { session: name, out, force, toAgent, redact, ...options }) => {
    const { io } = call
    if (force && out === undefined && !toAgent)
      throw misuse('export', "'--force' needs '--out' or '--to-agent'")
    const losses = new Losses()
    const onLoss = (loss: Loss): void => losses.add(loss)
    const how = { ...options, onLoss, ...(redact && { redact: await loadSecretList() }) }
    const repo = await call.repo()
    if (toAgent) return toAgentAnswer(call, repo, name, { ...how, force }, losses)
    if (out === undefined) {
      for await (const piece of exportSession(repo, name, { ...how, reuse: true })) await io.bytes(piece)
      if (!io.json) for (const line of losses.lines()) void io.note(...line)
      else if (!losses.none) await io.noteData({ losses: losses.data() })
      return
    }
    const isPart = options.bytes !== undefined || repo.atOperation !== undefined
    const written = isPart
      ? await writeNew(call, out, exportSession(repo, name, how), { force })
      : (await exportTo(repo, name, out, { ...how, force }, filesOf(call))).file
    return {
      data: { session: name, ...written, losses: losses.data() },
      notes: [wrote(call, written), ...renames(written), ...losses.lines()],
    }
  },
})

const renames = ({ renamed = [] }: WrittenFile): string[] =>
  renamed.map(({ name, as }) => `no file can be called '${name}' here: it is ${as}`)

/** Writes files with progress, or counts them in a dry run. */
const filesOf = (call: Invocation): Files => ({
  dryRun: call.dryRun,
  file: (path, pieces, options) => writeNew(call, path, pieces, options),
  folder: (path, files, options) => writeFolder(call, path, files, options),
})

/** Writes a session where an agent looks for it, and answers with the command that resumes it there. */
async function toAgentAnswer(
  call: Invocation,
  repo: Repo,
  name: string,
  options: ExportOptions & { readonly force: boolean },
  losses: Losses,
) {
  const { platform } = call
  const machine = { home: homeOf(platform), variables: platform.variables }
  const { file: written, ...agent } = await exportToAgent(
    repo,
    name,
    { ...options, ...machine },
    filesOf(call),
  ).catch((error: unknown) => {
    throw hasCode(error, 'exists') ? error.with({ hint: resumeHint(name, options) }) : error
  })
  const { id, format, cwd, command: resumes, take, opens } = agent
  return {
    data: {
      session: name,
      ...written,
      losses: losses.data(),
      id,
      format,
      cwd,
      command: resumes,
      ...defined({ take, opens }),
    },
    render: () =>
      opens === undefined
        ? [[whole(shellLine([...(take ? [take] : []), resumes], cwd, platform.env.cwd))]]
        : [],
    notes: [
      wrote(call, written),
      ...renames(written),
      ...losses.lines(),
      ...(opens === undefined ? [] : [opens]),
    ],
  }
}

const resumeHint = (name: string, { format }: ExportOptions): string =>
  `resume it there: 'sess resume ${typed(name)}${format === undefined ? '' : ` --format ${format}`}'; nothing was overwritten`

function wrote(call: Invocation, { bytes, path, replaced, files, further }: WrittenFile): string {
  const size = files === undefined ? `${bytes} bytes` : `${files} files, ${bytes} bytes,`
  if (further !== undefined)
    return `${did(call, 'Wrote')} ${bytes} bytes to ${path} and ${counted(further, 'file')} of the session`
  return `${did(call, 'Wrote')} ${size} to ${path}${replaced === null ? '' : `, replacing ${replaced} bytes`}`
}

/** Gathers losses by their kind, in the order in which kinds first occur. */
class Losses {
  readonly #groups = new Map<LossCode, Loss[]>()

  add(loss: Loss): void {
    addTo(this.#groups, loss.code, loss)
  }

  get none(): boolean {
    return this.#groups.size === 0
  }

  /** Returns a line for each kind: how often, its meaning, and its first place. */
  lines(): Line[] {
    return [...this.#groups].map(([code, losses]) => [
      styled('yellow', 'not written:'),
      ` ${code} (${grouped(losses.length)})  ${LOSSES[code]}${examplesOf(losses)}`,
    ])
  }

  /** Returns the kinds as data, each with its entries and names. */
  data(): readonly ValueOf<typeof lossSchema>[] {
    return [...this.#groups].map(([code, losses]) => ({
      code,
      message: LOSSES[code],
      count: losses.length,
      entries: losses.flatMap(({ oid }) => oid ?? []),
      subjects: losses.flatMap(({ subject }) => subject ?? []),
    }))
  }
}

/** How many names and entries a line lists. */
const SHOWN = 3

function examplesOf(losses: readonly Loss[]): string {
  const named = losses.flatMap(({ oid, subject }) => subject ?? (oid ? short(oid) : []))
  const more = named.length > SHOWN ? ', …' : ''
  return named.length === 0 ? '' : `: ${named.slice(0, SHOWN).join(', ')}${more}`
}
