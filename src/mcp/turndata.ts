import { arrayOf, boolean, described, nullable, object, string } from '../verbs/schema.ts'
import type { Turn, TurnPart } from '../verbs/types.ts'
import { CITED, cited, shortOid, shortOidSchema } from './cited.ts'
import { askedText } from './entrytext.ts'
import { lineOrNull, Quoted } from './quoted.ts'

/** The schema of a turn: what one speaker says before another one speaks. */
export const turnSchema = object({
  ...CITED,
  who: described('null for what nobody says, such as a compaction', nullable(string)),
  parts: arrayOf(
    object(
      { kind: string, oid: shortOidSchema },
      {
        text: string,
        tool: nullable(string),
        asked: described('the arguments of the call', nullable(string)),
        result: nullable(string),
        failed: boolean,
      },
    ),
  ),
})

/** The most parts of a turn that are shown. */
const MAX_PARTS = 24

/** The size of the arguments and of the result of a call, in UTF-16 units. */
const CALL = 300

/** Returns a turn in which all texts have a number of UTF-16 units together; how a turn ends says more than its middle. */
export function turnData(turn: Turn, room: number): object {
  const { who, parts } = turn
  const told = parts.filter(({ kind }) => kind !== 'thinking' && kind !== 'aside')
  const shown = told.length > MAX_PARTS ? told.slice(-MAX_PARTS) : told
  const texts = shown.filter(({ kind }) => kind !== 'tool').length
  const limit = Math.max(200, Math.floor(room / Math.max(1, texts)))
  return { ...cited(turn), who, parts: shown.map((part) => partData(part, limit)) }
}

function partData(part: TurnPart, limit: number): object {
  const { kind } = part
  const oid = shortOid(part.oid)
  switch (part.kind) {
    case 'tool':
      return {
        kind,
        oid,
        tool: lineOrNull(part.name, 60),
        asked: lineOrNull(askedText(part.name, part.input), CALL),
        result: lineOrNull(part.result?.text, CALL),
        failed: part.result?.error ?? false,
      }
    case 'image':
      return { kind, oid }
    default:
      return { kind, oid, text: new Quoted(part.text, { limit, lines: true }) }
  }
}
