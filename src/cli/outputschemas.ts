import { isObject, type JsonObject } from '../model/json.ts'
import { meaningSchema } from '../verbs/describe-names.ts'
import { arrayOf, boolean, described, integer, object, oneOf, string } from '../verbs/schema.ts'
import { type CommandOutput, output } from './define.ts'
import { EXIT } from './exitcodes.ts'

/** An error, the last line of stderr. */
export const ERROR = output(
  'The last line of stderr where a command fails; also one for each path that import could not take.',
  object({
    error: object(
      {
        code: described('never changes', string),
        kind: oneOf(...Object.keys(EXIT)),
        message: string,
        hint: string,
        retryable: boolean,
      },
      {
        candidates: arrayOf(meaningSchema),
        at: described(
          'where in an expression or a template, in UTF-16 units',
          object({ text: string, from: integer, to: integer }),
        ),
      },
    ),
  }),
)

const DRY_RUN = described('with --dry-run: true, nothing was written', boolean)

/** Returns a schema whose objects may have the mark of a dry run. */
function markable(schema: JsonObject): JsonObject {
  const { anyOf: schemas, properties } = schema
  if (Array.isArray(schemas)) return { ...schema, anyOf: (schemas as JsonObject[]).map(markable) }
  return isObject(properties) && !('dryRun' in properties)
    ? { ...schema, properties: { ...properties, dryRun: DRY_RUN } }
    : schema
}

/** Returns a whole JSON Schema of an output, as `sess help json` prints it; `isRead` if nothing is ever written. */
export const schemaDocument = (
  title: string,
  { is, schema }: CommandOutput<unknown>,
  isRead = true,
): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  description: is,
  ...(isRead ? schema : markable(schema)),
})
