/** A value of a parameter: several are passed as several parameters. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** An answer of the server that is no data: a problem as RFC 9457 describes it. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly detail: string

  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.detail = detail
  }
}

let token = ''

/** Sets the token that every request carries. */
export const useToken = (given: string): void => void (token = given)

/** Returns the headers of a request. */
export const authorization = (): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` })

/** Returns the address of an API call. */
export function addressOf(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'object') for (const one of value) parameters.append(name, one)
    else parameters.append(name, String(value))
  }
  const text = parameters.toString()
  return `/api${path}${text === '' ? '' : `?${text}`}`
}

/** Reads from an address. Throws `ApiError`, and `AbortError` where the signal ended it. */
export async function get<T>(address: string, signal?: AbortSignal): Promise<T> {
  return (await answer(await fetch(address, { headers: authorization(), ...(signal && { signal }) }))) as T
}

/** Sends a change, once however often it is tried. Throws `ApiError`. */
export async function post<T>(path: string, body: object): Promise<T> {
  const headers = {
    ...authorization(),
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  return (await answer(
    await fetch(addressOf(path), { method: 'POST', headers, body: JSON.stringify(body) }),
  )) as T
}

/** Characters that turn the direction of what follows: a name may not rewrite the page around it. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

async function answer(response: Response): Promise<unknown> {
  const text = await response.text()
  if (response.ok) return text === '' ? null : JSON.parse(text.replace(TURNING, ''))
  const problem = problemIn(text)
  throw new ApiError(
    response.status,
    problem.code ?? String(response.status),
    problem.detail ?? problem.title ?? response.statusText,
  )
}

interface Problem {
  readonly code?: string
  readonly detail?: string
  readonly title?: string
}

function problemIn(text: string): Problem {
  try {
    return JSON.parse(text) as Problem
  } catch {
    return {}
  }
}
