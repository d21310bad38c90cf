import type { Oid } from '../model/encoding/oid.ts'
import { type RangeSides, rangeSides } from '../ops/revisionrange.ts'
import { revParse as oidNamed, shortOid } from '../ops/revparse.ts'
import { atLeastOne, flag } from './input.ts'
import type { VerbContext } from './open.ts'
import { object, string } from './schema.ts'
import { revision } from './values.ts'
import { listOf, output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

/** The oid of a revision, and how it is shown in short where that was asked for. */
export interface ParsedRevision {
  readonly oid: Oid
  readonly short?: string
}

export const revParse = verb({
  name: 'rev-parse',
  summary: 'print the oids of revisions',
  effect: 'read',
  input: {
    revision: atLeastOne(revision(), 'sessions or entries'),
    short: flag('print the shortest unique prefix, at least 10 digits'),
  },
  output: listOf(output(object({ oid: oidSchema }, { short: string }))),
  run: async (context, { revision: revisions, short }) => {
    const parsed: ParsedRevision[] = []
    for (const name of revisions) parsed.push(await parseRevision(context, name, short))
    return parsed
  },
})

/** Parses one revision: a command prints each before the next one fails. */
export async function parseRevision(
  { repo }: Pick<VerbContext, 'repo'>,
  name: string,
  isShort: boolean,
): Promise<ParsedRevision> {
  const oid = await oidNamed(repo, name)
  return { oid, ...(isShort && { short: await shortOid(repo, oid) }) }
}

/** Returns the sides of a range of revisions; undefined of a text that is none. */
export const parseRange = (
  { repo }: Pick<VerbContext, 'repo'>,
  text: string,
): Promise<RangeSides | undefined> => repo.read((reader) => rangeSides(reader, text))
