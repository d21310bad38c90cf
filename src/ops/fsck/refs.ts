import type { RefValue } from '../../model/operation.ts'
import { plainName, type RefName } from '../../model/refname.ts'
import { kindOf, referencesOf, refProblem } from '../../model/refs/table.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Report } from './finding.ts'
import { handleOf } from './impact.ts'
import { hasBlob, hasRecords } from './recover.ts'

/** The kinds of refs whose references the checks of sessions and grafts read, which say more of what is missing. */
const CHECKED_ELSEWHERE: ReadonlySet<string> = new Set([
  'meta',
  'HEAD',
  'branches',
  'labels',
  'source',
  'natives',
  'files',
  'exports',
  'graft',
])

/** Checks that each ref has the form of its kind, and that the store has what it names. */
export async function checkRefs(reader: Reader, report: Report): Promise<void> {
  for await (const [name, value] of reader.refs('')) {
    const problem = refProblem(name, value)
    if (problem !== undefined) report('ref', name, problem, { refs: [plainName(name)] })
    else if (!CHECKED_ELSEWHERE.has(kindOf(name)?.kind ?? ''))
      for (const missing of await missingOf(reader, name, value))
        report('missing', name, `${missing} that it names is missing`, { refs: [plainName(name)] })
  }
}

/** Returns what a ref names and the store lacks. */
async function missingOf(reader: Reader, name: RefName, value: RefValue): Promise<string[]> {
  const { oids, logs, blobs } = referencesOf(name, value)
  const missing: string[] = []
  for (const oid of oids) if ((await handleOf(reader, oid)) === undefined) missing.push(`the entry ${oid}`)
  for (const [log, count] of logs)
    if (!(await hasRecords(reader, log, count))) missing.push(`a part of the log ${log}`)
  for (const blob of blobs) if (!(await hasBlob(reader, blob))) missing.push(`the blob ${blob}`)
  return missing
}
