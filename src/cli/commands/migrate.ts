import { quoted } from '../../text/shellwords.ts'
import { did } from '../../text/text.ts'
import { conversionData, migrate } from '../../verbs/migrate.ts'
import { migrateFile } from '../../verbs/migrate-file.ts'
import type { Migration } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import { answerOf } from '../present.ts'
import { performed, WRITING } from '../progress.ts'

const { file, to, out, inPlace } = migrateFile.input

/** `sess migrate`: converts a session file to another version of its format. */
export const command = defineCommand({
  effect: migrateFile.effect,
  arguments: { file },
  options: { to, out, inPlace },
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
    migrateFile.output.schema,
  ),
  run: async (call, input) => {
    const { io, dryRun } = call
    if (!input.inPlace && input.out === undefined) {
      const migration = await migrate.run(call, input)
      for (const line of migration.lines) await io.bytes(utf8.encode(line))
      if (io.json) await io.noteData({ ...conversionData(migration) })
      else for (const note of notesOf(migration)) await io.note(note)
      return
    }
    const done = await call.finish(performed(call, WRITING, () => migrateFile.run(call, input)))
    const { path, bytes, backup } = done
    return answerOf(migrateFile, done, {
      notes: [
        ...notesOf(done),
        `${did(call, 'Wrote')} ${bytes} bytes to ${path}`,
        ...(backup === null ? [] : [`the original ${dryRun ? 'would be' : 'is'} kept as ${backup}`]),
      ],
      back: backup === null ? undefined : `mv ${quoted(backup)} ${quoted(path)}`,
    })
  },
})

const utf8 = new TextEncoder()

function notesOf({
  way,
  records,
  salvaged,
  skipped,
  edits,
}: Omit<Migration, 'lines' | 'isCurrent'>): string[] {
  const damaged = salvaged === 0 ? '' : `, ${salvaged} of them from damaged lines`
  return [
    `${way.join(' -> ')}: ${records} records${damaged}`,
    ...(edits > 0 ? [`edits that have no place there, and no effect: ${edits}`] : []),
    ...(skipped.length > 0 ? [`left out, as they hold no record: ${linesNamed(skipped)}`] : []),
  ]
}

/** The number of lines that are named. */
const MAX_LINES = 10

const linesNamed = (lines: readonly number[]): string =>
  `line${lines.length === 1 ? '' : 's'} ${lines.slice(0, MAX_LINES).join(', ')}${lines.length > MAX_LINES ? ` and ${lines.length - MAX_LINES} more` : ''}`
