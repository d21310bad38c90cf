import { listFormats } from '../ops/formats.ts'
import { optional } from './input.ts'
import { arrayOf, boolean, described, integer, nullable, object, string } from './schema.ts'
import { sourceFormat } from './values.ts'
import { listOf, output, verb } from './verb.ts'

const names = arrayOf(
  object({
    name: described('a type in an object of a record is `path/type`, a field in one `path.field`', string),
    count: integer,
    sessions: arrayOf(string),
  }),
)

export { FORMAT_NAMES } from '../ops/formats.ts'

export const formats = verb({
  name: 'formats',
  summary: 'show which versions of agents are known, and what is not understood',
  effect: 'read',
  input: {
    format: optional(sourceFormat(), 'only this format, or those of this agent, with what is not understood'),
  },
  output: listOf(
    output(
      object({
        format: string,
        written: described('the newest version that its page was written for', string),
        seen: described('the newest version that wrote a session of the store', nullable(string)),
        newer: described('whether that one is newer', boolean),
        sessions: integer,
        types: described('record types that no reader knows', names),
        fields: described('fields that no reader knows', names),
        more: described('how many have names that are not kept', integer),
      }),
    ),
  ),
  run: ({ repo }, { format }) => listFormats(repo, format),
})
