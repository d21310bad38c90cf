import { formatNamed } from '../../formats/registry.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { cutPrompt } from '../../model/prompt.ts'
import { sourceLogRef } from '../../model/refname.ts'
import type { FindSecrets } from '../../model/secrets/secret.ts'
import { uuid7 } from '../../model/uuid.ts'
import { withNumberedApart } from '../../repo/importedbranches.ts'
import type { Repo } from '../../repo/repo.ts'
import { refValue, type SourceHead } from '../../repo/session.ts'
import { drafted, linesOf, redactionOf } from '../export/export.ts'
import { branchesOf } from '../import/branches.ts'
import { Ingester } from '../import/ingester.ts'
import { emptyTarget } from '../import/logtarget.ts'
import { aboutSource, moveBranches, moveLabels, writeMeta } from '../import/sessionrefs.ts'
import { Indexer } from '../indexing.ts'
import { KnownSecrets, redactedDraft } from './redaction.ts'

/** A copy of a session without its secrets. */
export interface Redacted {
  /** The copy; null if there was nothing to replace, and none was made. */
  readonly session: string | null
  readonly from: string
  readonly tip: Oid | null
  /** The number of replacements, and the marks of the replaced secrets. */
  readonly replaced: number
  readonly secrets: readonly string[]
}

/** How secrets are recognised. */
export interface RedactOptions {
  readonly find: FindSecrets
  /** Secrets that no rule recognises. */
  readonly secrets?: readonly string[]
}

const utf8 = new TextEncoder()

/** Returns the title of a copy, which tells it from the session itself. */
const titleOfCopy = (title: string): string => `${cutPrompt(title.toWellFormed(), MAX_TITLE)} (redacted)`

/** The maximum number of UTF-16 units that are kept of a title. */
const MAX_TITLE = 120

/**
 * Copies a session with all its branches, its secrets replaced by marks in all their spellings. From the first mark on the
 * copy has other entries. The session itself does not change. One operation. Throws `no-session`.
 */
export function redact(
  repo: Repo,
  text: string,
  { find, secrets: given = [] }: RedactOptions,
): Promise<Redacted> {
  return repo.write({ bulk: true }, async (change) => {
    const { reader, writer, move } = change
    const format = formatNamed('sess')
    const { part, draft, writer: sessWriter } = await drafted(reader, text, repo.env, { format: 'sess' })
    try {
      const { session } = part
      if (!session || !format) throw new SessError('no-session', text)
      const id = uuid7(repo.env)
      const known = new KnownSecrets(repo.identity.id, find, given)
      const redaction = await redactionOf(repo, reader, text, known)
      const indexer = new Indexer(reader, writer)
      const target = emptyTarget(writer.newLog())
      const name = `${id}.jsonl`
      const ingester = new Ingester(change, indexer, { format, sample: { name }, target })
      for await (const line of linesOf(sessWriter, redactedDraft({ ...draft, id }, redaction)))
        await ingester.push(utf8.encode(line.text))
      const sha256 = await ingester.end()
      await indexer.end()
      const secrets = [...redaction.marks]
      const made = { from: session.id, replaced: redaction.count, secrets }
      if (redaction.count === 0) return { session: null, tip: null, ...made }
      const branches = await branchesOf(reader, ingester, {})
      const { sourceEntries } = ingester
      const summary = await sourceEntries.summary(reader)
      const head: SourceHead = {
        log: target.log,
        count: ingester.records,
        entries: sourceEntries.entries.size,
        hash: ingester.hash,
        updated: ingester.times.updated,
        reading: format.reading,
        bytes: ingester.bytes,
        sha256,
        tail: ingester.tail.map((bytes) => writer.putBlob(bytes)),
        branches,
        salvaged: 0,
        summary,
      }
      change.cover(id, { entries: sourceEntries.entries })
      move(sourceLogRef(id), undefined, refValue(withNumberedApart(writer, head)))
      writeMeta(change, {
        id,
        known: undefined,
        meta: {
          ...aboutSource(ingester.facts, undefined),
          title: titleOfCopy(ingester.facts.title ?? sourceEntries.prompt ?? session.id),
          format: format.name,
          created: draft.created,
          ...defined({ prompt: sourceEntries.prompt }),
        },
        native: id,
        path: name,
      })
      moveBranches(change, { id, known: undefined, now: branches, before: {} })
      await moveLabels(change, { id, known: undefined, labels: ingester.labels })
      return { session: id, tip: branches.main ?? null, ...made }
    } finally {
      await draft.close()
    }
  })
}
