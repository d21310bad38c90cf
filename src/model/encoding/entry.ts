import { joinedBriefly } from '../bytes.ts'
import type { Json } from '../json.ts'
import { encode, layOut } from './canonical.ts'
import { bytesOf, type Oid, oidOf, writeBytesOf } from './oid.ts'
import { sha256Oid } from './sha256.ts'

/** The digest of a body: the hash of its canonical bytes under the tag `body`. */
export type Digest = string & { readonly __brand: 'Digest' }

/** The references that the meaning of an entry depends on: ancestors of the entry, by some kind of name. */
export interface LinksBy<N> {
  /** Of a compaction: the first entry that it keeps. */
  readonly firstKept?: N
  /** Of a compaction: the entries that it keeps, where they are listed. */
  readonly kept?: readonly N[]
  /** Of an edit: the entry that it hides or replaces. */
  readonly target?: N
}

/** Links by oids, as an entry holds them. */
export type Links = LinksBy<Oid>

/** Returns links with each name replaced by another name of the same entry. */
export async function mapLinks<A, B>(
  { firstKept, kept, target }: LinksBy<A>,
  to: (name: A) => B | Promise<B>,
): Promise<LinksBy<B>> {
  const all: B[] = []
  for (const name of kept ?? []) all.push(await to(name))
  return {
    ...(firstKept === undefined ? {} : { firstKept: await to(firstKept) }),
    ...(kept === undefined ? {} : { kept: all }),
    ...(target === undefined ? {} : { target: await to(target) }),
  }
}

/** An immutable step of a conversation, named by the hash of the conversation up to and including it. */
export interface Entry {
  /** None for a root, one normally, two for a merge. */
  readonly parents: readonly Oid[]
  /** `<dialect>/<kind>`, such as `claude/assistant`. */
  readonly type: string
  readonly digest: Digest
  readonly links: Links
}

export const NO_LINKS: Links = {}

const utf8 = new TextEncoder()
const ENTRY = utf8.encode('entry\0')
const BODY = utf8.encode('body\0')

/** Returns the digest of a body's canonical bytes. */
export const digestOfBytes = (bytes: Uint8Array): Digest =>
  sha256Oid(joinedBriefly([BODY, bytes])) as string as Digest

/** Returns the digest of a body. */
export const digestOf = (body: Json): Digest => digestOfBytes(layOut(body))

/**
 * Returns the canonical bytes of an entry: CBOR of `[parents, type, digest]`, and fourth its links, if any, with hashes
 * as byte strings and links in the order firstKept, kept, target.
 */
export function entryBytes(entry: Entry): Uint8Array {
  const { firstKept, kept, target } = entry.links
  const links: Record<string, unknown> = {}
  if (firstKept) links.firstKept = bytesOf(firstKept)
  if (kept) links.kept = kept.map(bytesOf)
  if (target) links.target = bytesOf(target)
  const parts: unknown[] = [entry.parents.map(bytesOf), entry.type, bytesOf(entry.digest)]
  if (Object.keys(links).length > 0) parts.push(links)
  return encode(parts)
}

/** Returns the oid of an entry. */
export function oidOfEntry(entry: Entry): Oid {
  const { parents, type, digest, links } = entry
  const plain = parents.length < 2 && !links.firstKept && !links.kept && !links.target && SHORT.test(type)
  return sha256Oid(plain ? plainBytes(parents[0], type, digest) : joinedBriefly([ENTRY, entryBytes(entry)]))
}

/** Returns the oid of an entry with one parent or none and without links, from its digest as bytes. */
export const oidOfPlain = (parent: Oid | undefined, type: string, digest: Uint8Array): Oid =>
  SHORT.test(type)
    ? sha256Oid(plainBytes(parent, type, digest))
    : oidOfEntry({
        parents: parent ? [parent] : [],
        type,
        digest: oidOf(digest) as string as Digest,
        links: NO_LINKS,
      })

/** A type whose CBOR is one byte and its characters. */
const SHORT = /^[\x20-\x7e]{0,23}$/

/**
 * Returns the tag and the canonical bytes of an entry with at most one parent, no links and a short type, as most are;
 * valid until the next call. Written without the encoder, which would cost most of what the hash costs.
 */
function plainBytes(parent: Oid | undefined, type: string, digest: Digest | Uint8Array): Uint8Array {
  const bytes = plainBuffer
  let at = ENTRY.length
  bytes[at++] = LIST + 3
  bytes[at++] = LIST + (parent === undefined ? 0 : 1)
  if (parent !== undefined) at = hashAt(bytes, at, parent)
  bytes[at++] = TEXT + type.length
  for (let i = 0; i < type.length; i++) bytes[at++] = type.charCodeAt(i)
  return bytes.subarray(0, hashAt(bytes, at, digest))
}

/** The first byte of a short CBOR list and of a short text, less its length. */
const LIST = 0x80
const TEXT = 0x60

/** The length of a hash in CBOR: a byte string of 32 bytes. */
const HASH = 2 + 32

const plainBuffer = new Uint8Array(ENTRY.length + 2 + HASH + 1 + 23 + HASH)
plainBuffer.set(ENTRY)

function hashAt(bytes: Uint8Array, at: number, hash: string | Uint8Array): number {
  bytes[at] = 0x58
  bytes[at + 1] = 32
  if (typeof hash === 'string') return writeBytesOf(hash, bytes, at + 2)
  bytes.set(hash, at + 2)
  return at + HASH
}
