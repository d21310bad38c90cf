import { MIGRATION_TARGETS, type Migration, migrate as migrateRecords } from '../ops/migrate.ts'
import { required } from './input.ts'
import { arrayOf, described, integer, object, string } from './schema.ts'
import { choice, file } from './values.ts'
import { folderVerb, sentAs } from './verb.ts'

/** The inputs of a conversion. */
export const CONVERTED = {
  file: required(file(), 'a session file of pi, Dash, rollouts or a draft'),
  to: required(choice(MIGRATION_TARGETS, 'version'), 'the target version'),
}

/** The properties of a conversion. */
export const CONVERSION = {
  way: described('its version, the versions on the way, and the new one', arrayOf(string)),
  records: integer,
  salvaged: described('records recovered from damaged lines', integer),
  skipped: described('lines that hold no record', arrayOf(integer)),
  edits: described('edits of the context that have no effect in it', integer),
}

type ConversionData = Pick<Migration, keyof typeof CONVERSION>

/** Returns a conversion as JSON. */
export const conversionData = ({
  way,
  records,
  salvaged,
  skipped,
  edits,
}: ConversionData): ConversionData => ({
  way,
  records,
  salvaged,
  skipped,
  edits,
})

export const migrate = folderVerb({
  name: 'migrate',
  summary: 'convert a session file to another version of its format',
  effect: 'read',
  input: CONVERTED,
  output: sentAs(
    object({ ...CONVERSION, content: described('the lines of the new file', string) }),
    (migration: Migration) => ({ ...conversionData(migration), content: [...migration.lines].join('') }),
  ),
  run: ({ where }, { file: path, to }) => migrateRecords(where.absolute(path), to),
})
