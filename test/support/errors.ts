import { expect } from 'vitest'
import { type ErrorCode, SessError } from '../../src/model/errors.ts'

/** Returns the SessError with which some work fails, after checking its code. */
export async function expectFailure(code: ErrorCode, work: () => unknown): Promise<SessError> {
  try {
    await work()
  } catch (error) {
    expect(error).toBeInstanceOf(SessError)
    expect((error as SessError).code).toBe(code)
    return error as SessError
  }
  throw new Error(`nothing failed with '${code}'`)
}
