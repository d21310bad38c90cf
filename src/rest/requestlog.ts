import type { Context } from 'hono'

/**
 * Answers a request, and describes it in a line of JSON: without its query, its headers and its body, which hold secrets
 * and what was looked for.
 */
export async function logRequest(
  call: Context,
  next: () => Promise<void>,
  log: (line: string) => void,
): Promise<void> {
  const begun = performance.now()
  await next()
  const { method, path } = call.req
  const ms = Math.round((performance.now() - begun) * 10) / 10
  log(JSON.stringify({ time: new Date().toISOString(), method, path, status: call.res.status, ms }))
}
