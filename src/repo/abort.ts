import { SessError } from '../model/errors.ts'

/** Returns the error of a call that its signal stopped. `detail` says what became of its work. */
export const stoppedError = (detail = 'nothing was changed'): SessError => new SessError('stopped', detail)

/**
 * Waits for something unless the signal aborts first: then throws `stopped`, and passes what comes later to `undo`.
 */
export function unlessAborted<T>(
  coming: Promise<T>,
  signal: AbortSignal | undefined,
  undo: (late: T) => void = () => undefined,
  detail?: string,
): Promise<T> {
  if (!signal) return coming
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(stoppedError(detail))
      coming.then(undo, () => undefined)
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    coming.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
