import { CallTerms, RepeatedCall, type WriteTerms } from '../repo/callterms.ts'
import type { Repo } from '../repo/repo.ts'

export type { WriteTerms } from '../repo/callterms.ts'

/** The outcome of a call that writes. */
export interface Written<T> {
  /** The operation that the call made; null where it changed nothing. */
  readonly operation: number | null
  /** Whether the call was a repeated one, whose operation was there already. */
  readonly repeated: boolean
  /** The result; null of a repeated call, whose result is not kept. */
  readonly result: T | null
}

/**
 * Runs a call that writes on terms: on the expected values, and once only where it has a key. Its writes are joined into
 * one operation unless another call writes in between. Throws as the call, and `conflict` where something else holds.
 */
export async function writeOnce<T>(
  repo: Repo,
  terms: WriteTerms,
  run: (repo: Repo) => Promise<T>,
): Promise<Written<T>> {
  const group = `call ${Buffer.from(repo.env.random(8)).toString('hex')}`
  const own = new CallTerms(terms, group)
  try {
    const result = await run(repo.call({ terms: own }))
    return { operation: own.operation ?? null, repeated: false, result }
  } catch (error) {
    if (!(error instanceof RepeatedCall)) throw error
    return { operation: error.operation, repeated: true, result: null }
  }
}
