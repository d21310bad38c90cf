import { createHash, timingSafeEqual } from 'node:crypto'
import type { Refusal } from './problem.ts'

/** A request, as far as it decides whether it is answered. */
export interface Asked {
  readonly method: string
  readonly path: string
  /** The values of the header `Host`. */
  readonly hosts: readonly string[]
  /** Returns the value of another header. */
  readonly header: (name: string) => string | undefined
}

/** The values that requests are compared with. */
export interface Gate {
  /** The exact forms `host:port` by which the server is reached. */
  readonly hosts: readonly string[]
  readonly token: string
  /** The beginnings of the paths that need the token. */
  readonly guarded: readonly string[]
  /** The beginnings of the paths that programs ask that know of no Origin: the token alone lets them in. */
  readonly withoutOrigin: readonly string[]
}

const isBelow = (path: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))

/**
 * Returns why a request is refused; undefined where it is answered. A page of another site reaches a server of this machine
 * by a name of its own (DNS rebinding), by a form, by an image or by a script of another port: each rule closes such a way,
 * and none relies on another one.
 */
export function refusalOf(asked: Asked, gate: Gate): Refusal | undefined {
  return (
    hostRefusal(asked, gate) ?? originRefusal(asked, gate) ?? tokenRefusal(asked, gate) ?? typeRefusal(asked)
  )
}

function hostRefusal({ hosts }: Asked, gate: Gate): Refusal | undefined {
  const [host] = hosts
  if (hosts.length === 1 && host !== undefined && gate.hosts.includes(host)) return undefined
  return { status: 421, code: 'wrong-host', detail: 'this server does not answer to that host' }
}

function originRefusal(asked: Asked, gate: Gate): Refusal | undefined {
  const { method, path, hosts, header } = asked
  if (isVisit(asked, gate)) return undefined
  const site = header('sec-fetch-site')
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none'
  const origin = header('origin')
  const isNeeded = !isSafe(method) && !isBelow(path, gate.withoutOrigin)
  const isOwn = origin === undefined ? !isNeeded : origin === `http://${hosts[0]}`
  if (isOwnSite && isOwn) return undefined
  return {
    status: 403,
    code: 'wrong-origin',
    detail:
      origin === undefined && isOwnSite
        ? 'a request that may change something names its Origin'
        : 'pages of another origin are not answered',
  }
}

/** Returns whether somebody follows a link to the page, which holds no data and cannot be framed. */
const isVisit = ({ method, path, header }: Asked, { guarded }: Gate): boolean =>
  isSafe(method) &&
  !isBelow(path, guarded) &&
  header('origin') === undefined &&
  header('sec-fetch-mode') === 'navigate' &&
  header('sec-fetch-dest') === 'document'

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'

function tokenRefusal({ path, header }: Asked, { guarded, token }: Gate): Refusal | undefined {
  if (!isBelow(path, guarded)) return undefined
  const [, sent] = /^bearer +(\S+)$/i.exec(header('authorization') ?? '') ?? []
  if (sent !== undefined && isEqual(sent, token)) return undefined
  return {
    status: 401,
    code: 'no-token',
    detail: 'the token of this server is needed: Authorization: Bearer TOKEN',
    headers: { 'www-authenticate': 'Bearer' },
  }
}

/** Compares in a time that says nothing of how much is equal. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A form of another page cannot send JSON without asking first, and no form sends DELETE. */
function typeRefusal({ method, header }: Asked): Refusal | undefined {
  if (isSafe(method) || method === 'OPTIONS' || method === 'DELETE') return undefined
  const [type] = (header('content-type') ?? '').split(';')
  if (type?.trim().toLowerCase() === 'application/json') return undefined
  return { status: 415, code: 'wrong-type', detail: 'the body is application/json' }
}
