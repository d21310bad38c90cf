import { resolve } from 'node:path'
import { isWritten, keepCopy, removeCopy } from '../../files/newfile.ts'
import { TARGETS } from '../../formats/migrate/index.ts'
import { SessError } from '../../model/errors.ts'
import { type Migration, migrate } from '../../ops/migrate.ts'
import { statOf } from '../../sources/files.ts'
import { did } from '../../text/text.ts'
import { arrayOf, described, integer, nullable, object, string } from '../../verbs/schema.ts'
import { defineCommand, output } from '../define.ts'
import { writeNew } from '../outputfile.ts'
import { choice, file, flag, option, required, requiredOption } from '../parameters.ts'
import { quoted } from '../shellwords.ts'

/** `sess migrate`: converts a session file to another version of its format. */
export const command = defineCommand({
  effect: 'write',
  arguments: { file: required(file(), 'a session file of pi, Dash, rollouts or a draft') },
  options: {
    to: requiredOption(choice([...TARGETS], 'version'), 'the target version'),
    out: option(file(), 'write to a new file'),
    inPlace: flag('replace the file, and keep the original as FILE.bak', { excludes: ['out'] }),
  },
  help: `pi v1 is converted to v2, v3 and v4, step by step; the drafts index-tree and uuid-tree to each other and to v3; Dash
and rollouts to v3. The file is only read, unless --in-place is given. New ids are derived from the content, so the same
file always gives the same result. No store is needed.`,
  examples: [
    ['sess migrate old.jsonl --to v3 > new.jsonl', 'convert a session of the first pi'],
    ['sess migrate old.jsonl --to v4 --out four.jsonl', 'convert to version 4, into a new file'],
    ['sess migrate old.jsonl --to v3 --in-place', 'replace the file, and keep the original'],
  ],
  output: output(
    'With --out or --in-place one object. Without, the file itself is printed, also with --json; the result is the ' +
      'last line of stderr, without the last three fields.',
    object({
      way: described('its version, the versions on the way, and the new one', arrayOf(string)),
      records: integer,
      salvaged: described('records recovered from damaged lines', integer),
      skipped: described('lines that hold no record', arrayOf(integer)),
      edits: described('edits of the context that have no effect in it', integer),
      path: string,
      bytes: integer,
      backup: described('with --in-place: the file that holds the original', nullable(string)),
    }),
  ),
  run: async (call, { file: from, to, out, inPlace }) => {
    const { io, dryRun } = call
    const path = resolve(call.platform.env.cwd, from)
    const migration = await migrate(path, to)
    const target = inPlace ? path : out
    if (target === undefined) {
      for (const line of migration.lines) await io.bytes(utf8.encode(line))
      if (io.json) await io.noteData(dataOf(migration))
      else for (const note of notesOf(migration)) await io.note(note)
      return
    }
    // A process may have been killed right after it replaced the file.
    const isDone =
      inPlace &&
      migration.way.length === 1 &&
      (await isWritten(path, utf8.encode([...migration.lines].join('')), call))
    const kept = inPlace && !isDone ? await keepCopy(path, call) : null
    const backup = kept?.path ?? null
    const written = await (isDone
      ? Promise.resolve({ path, bytes: statOf(path).size })
      : writeNew(call, target, pieces(migration, inPlace ? path : undefined), { force: inPlace })
    ).catch(async (error: unknown) => {
      if (kept && !dryRun) await removeCopy(path, kept)
      throw error
    })
    return {
      data: { ...dataOf(migration), path: written.path, bytes: written.bytes, backup },
      notes: [
        ...notesOf(migration),
        `${did(call, 'Wrote')} ${written.bytes} bytes to ${written.path}`,
        ...(backup === null ? [] : [`the original ${dryRun ? 'would be' : 'is'} kept as ${backup}`]),
      ],
      back: backup === null ? undefined : `mv ${quoted(backup)} ${quoted(path)}`,
    }
  },
})

const utf8 = new TextEncoder()

/** Yields the new content. Throws `conflict` where the file that it replaces is not as it was read. */
// oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
async function* pieces({ lines, isCurrent }: Migration, replaced?: string): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield utf8.encode(line)
  if (replaced !== undefined && !isCurrent())
    throw new SessError('conflict', replaced, {
      hint: 'end the agent that writes it, and repeat the command',
    })
}

const dataOf = ({ way, records, salvaged, skipped, edits }: Migration) => ({
  way,
  records,
  salvaged,
  skipped,
  edits,
})

function notesOf({ way, records, salvaged, skipped, edits }: Migration): string[] {
  const damaged = salvaged === 0 ? '' : `, ${salvaged} of them from damaged lines`
  return [
    `${way.join(' -> ')}: ${records} records${damaged}`,
    ...(edits > 0 ? [`edits that have no place there, and no effect: ${edits}`] : []),
    ...(skipped.length > 0 ? [`left out, as they hold no record: ${linesNamed(skipped)}`] : []),
  ]
}

/** The number of lines that are named. */
const MOST = 10

const linesNamed = (lines: readonly number[]): string =>
  `line${lines.length === 1 ? '' : 's'} ${lines.slice(0, MOST).join(', ')}${lines.length > MOST ? ` and ${lines.length - MOST} more` : ''}`
