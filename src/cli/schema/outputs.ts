import { back } from './back.ts'
import { about, type Described, either, nullable, object, type Schema, text, word } from './build.ts'
import { change } from './change.ts'
import { look } from './look.ts'
import { scripts } from './scripts.ts'
import { error, start } from './start.ts'
import { store } from './store.ts'
import { undo } from './undo.ts'

/** The schemas of what commands print with `--json`, by the name of the command; `error` is that of errors. */
export const OUTPUTS: Readonly<Record<string, Described>> = {
  ...start,
  ...look,
  ...change,
  ...back,
  ...undo,
  ...store,
  ...scripts,
  completion: about(
    'With words a line for each name. The scripts are text, whatever --json says.',
    either(object({ name: text, does: text }), object({ paths: word('files', 'folders') })),
  ),
  help: about('One object. Help on json is always JSON Schema.', object({ topic: nullable(text), text })),
  error,
}

/** Returns the schema of the output of a command; undefined if there is no such command. */
export function schemaOf(name: string): Schema | undefined {
  const schema = OUTPUTS[name]
  const title = name === 'error' ? 'error' : `sess ${name} --json`
  return schema && { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema }
}

/** Returns a description of the JSON output of each command. */
export function outputList(): string {
  const width = Math.max(...Object.keys(OUTPUTS).map((name) => name.length))
  return Object.entries(OUTPUTS)
    .map(([name, { description }]) => `  ${name.padEnd(width)}  ${description}`)
    .join('\n')
}
