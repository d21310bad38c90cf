import { SessError } from '../model/errors.ts'
import { migrateFile as convertFile, type MigratedFile } from '../ops/migrate.ts'
import { filesOf } from './exporting.ts'
import { flag, optional } from './input.ts'
import { CONVERSION, CONVERTED, conversionData } from './migrate.ts'
import { described, integer, nullable, object, string } from './schema.ts'
import { file } from './values.ts'
import { checkStop, folderVerb, sentAs } from './verb.ts'

export const migrateFile = folderVerb({
  name: 'migrate-file',
  summary: 'convert a session file into a new file, or in place',
  effect: 'write',
  input: {
    ...CONVERTED,
    out: optional(file(), 'write to a new file'),
    inPlace: flag('replace the file, and keep the original as FILE.bak', { excludes: ['out'] }),
  },
  output: sentAs(
    object({
      ...CONVERSION,
      path: string,
      bytes: integer,
      backup: described('with --in-place: the file that holds the original', nullable(string)),
    }),
    (done: MigratedFile) => ({
      ...conversionData(done),
      path: done.path,
      bytes: done.bytes,
      backup: done.backup,
    }),
  ),
  run: async (context, { file: path, to, out, inPlace }) => {
    const { where } = context
    if (out === undefined && !inPlace) throw new SessError('bad-usage', 'no new file was named')
    const files = filesOf(context, () => checkStop(context))
    return convertFile(
      where.absolute(path),
      to,
      inPlace || out === undefined ? undefined : where.absolute(out),
      files,
    )
  },
})
