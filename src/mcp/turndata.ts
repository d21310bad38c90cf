import { arrayOf, boolean, described, integer, nullable, object, string } from '../verbs/schema.ts'
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
  dropped: described('how many parts at its beginning were left out', nullable(integer)),
})

/** The size of the arguments and of the result of a call, and of the other properties of a part, in UTF-16 units. */
const [CALL, OTHER] = [300, 90]

/** Returns a turn of at most about so many UTF-16 units. Where it is longer, its end says more than its middle. */
export function turnData(turn: Turn, room: number): object {
  const told = turn.parts.filter(({ kind }) => kind !== 'thinking' && kind !== 'aside')
  const shown = told.slice(-Math.max(1, Math.floor(room / (2 * OTHER))))
  const limit = largestShare(shown.map(sizeOf), room - OTHER * shown.length)
  const parts = shown.map((part) => partData(part, limit))
  return { ...cited(turn), who: turn.who, parts, dropped: told.length - shown.length || null }
}

/** Returns how many units each of some texts may have at most, so that all have room. */
function largestShare(sizes: readonly number[], room: number): number {
  let left = Math.max(0, room)
  for (const [i, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - i))
    if (size > share) return Math.max(OTHER, share)
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

const sizeOf = (part: TurnPart): number =>
  part.kind === 'tool' ? 2 * CALL : 'text' in part ? part.text.length : 0

function partData(part: TurnPart, limit: number): object {
  const { kind } = part
  const oid = shortOid(part.oid)
  switch (part.kind) {
    case 'tool': {
      const size = Math.min(CALL, Math.ceil(limit / 2))
      return {
        kind,
        oid,
        tool: lineOrNull(part.name, 60),
        asked: lineOrNull(askedText(part.name, part.input), size),
        result: lineOrNull(part.result?.text, size),
        failed: part.result?.error ?? false,
      }
    }
    case 'image':
      return { kind, oid }
    default:
      return {
        kind,
        oid,
        text: new Quoted(part.text, { limit: Math.min(limit, part.text.length + 1), lines: true }),
      }
  }
}
