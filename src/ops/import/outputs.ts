import type { OutputPlace } from '../../formats/core/format.ts'
import { isOid, type Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import { fileRef, OUTPUTS, outputRef } from '../../model/refname.ts'
import type { OutputFiles } from '../../model/refs/values.ts'
import { findRef, walkRefs } from '../../repo/findref.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { viewAt } from '../entries.ts'
import { Indexer } from '../indexing.ts'
import { fileHead, outputText, textOfFile } from '../outputs.ts'
import type { RecordEntries } from './sourceentries.ts'

/** A file of a session with the whole result of a call. */
interface OutputFile {
  readonly session: string
  readonly name: string
}

/** A result in an entry, and the file that holds it whole. */
interface Output extends OutputFile {
  readonly oid: Oid
  readonly call: string
}

/** The outputs of an import that are to be indexed once its sessions are written. */
export class OutputSearch {
  /** Those whose entries are new, by the session and name of their files. */
  readonly #named = new Map<string, Output[]>()
  /** The files that are new or have changed. */
  readonly #arrived = new Map<string, OutputFile>()
  /** Whether there are any. */
  get any(): boolean {
    return this.#named.size > 0 || this.#arrived.size > 0
  }

  addOutput(output: Output): void {
    const key = keyOf(output)
    const list = this.#named.get(key)
    if (list) list.push(output)
    else this.#named.set(key, [output])
  }

  addFile(file: OutputFile): void {
    this.#arrived.set(keyOf(file), file)
  }

  /** Removes a file whose words are indexed. */
  removeFile(file: OutputFile): void {
    this.#arrived.delete(keyOf(file))
  }

  /** Removes and returns the outputs. Those of files whose entries came earlier are looked for among all of the store. */
  async take(reader: Reader): Promise<readonly Output[]> {
    const found = [...this.#named.values()].flat()
    const late = new Set([...this.#arrived.keys()].filter((key) => !this.#named.has(key)))
    if (late.size > 0)
      for await (const output of storedOutputs(reader)) if (late.has(keyOf(output))) found.push(output)
    this.#named.clear()
    this.#arrived.clear()
    return found
  }
}

const keyOf = ({ session, name }: OutputFile): string => JSON.stringify([session, name])

/** Yields all outputs of the store whose entries are known. */
async function* storedOutputs(reader: Reader): AsyncGenerator<Output> {
  for await (const [ref, { session, files }] of walkRefs(reader, OUTPUTS)) {
    const oid = ref.slice(OUTPUTS.length)
    if (isOid(oid)) for (const [call, name] of Object.entries(files)) yield { oid, session, call, name }
  }
}

/** The results of a session that files beside it, or beside the one that started it, hold whole. */
interface SessionOutputs {
  readonly session: string
  readonly places: ReadonlyMap<string, OutputPlace>
  readonly entries: RecordEntries
}

/** Where outputs go. */
interface OutputSink {
  readonly search: OutputSearch
  /** The refs that the transaction has set. */
  readonly claimed: Set<string>
  /** Returns the text of a file of the session, if it is at hand: its words are indexed at once. */
  readonly textOf?: (name: string) => string | undefined
}

/**
 * Notes which files hold the whole results of a session's entries, as far as that is new. An entry that several sessions
 * share belongs to the first that has its file.
 */
export async function noteOutputs(
  change: Change,
  { session: id, places, entries }: SessionOutputs,
  sink: OutputSink,
): Promise<void> {
  const byEntry = new Map<EntryHandle, Output[]>()
  for (const [name, { record, call, session = id }] of places) {
    const handle = entries.of(record)
    const output = { oid: await change.reader.oid(handle), call: call.toWellFormed(), session, name }
    const list = byEntry.get(handle)
    if (list) list.push(output)
    else byEntry.set(handle, [output])
  }
  for (const [handle, outputs] of byEntry)
    for (const output of await newOutputs(change, outputs, sink.claimed)) {
      const text = output.session === id ? sink.textOf?.(output.name) : undefined
      if (text === undefined) sink.search.addOutput(output)
      else {
        sink.search.removeFile(output)
        const view = await viewAt(change.reader, handle)
        change.writer.index.add(handle, [outputText(output.call, text, view)])
      }
    }
}

/** Sets the ref of an entry. Returns the outputs that it names now and did not name before. */
async function newOutputs(
  { reader, move }: Change,
  outputs: readonly Output[],
  claimed: Set<string>,
): Promise<readonly Output[]> {
  const [{ oid, session }] = outputs as readonly [Output]
  const ref = outputRef(oid)
  const value = await findRef(reader, ref)
  const before = value ?? { session: '', files: {} }
  const isOwn = before.session === session
  const own = outputs.filter((one) => one.session === session)
  const news = own.filter(({ call, name }) => !isOwn || before.files[call] !== name)
  if (news.length === 0 || claimed.has(ref)) return []
  if (value !== undefined && !isOwn && (await hasFiles(reader, before))) return []
  claimed.add(ref)
  const files = Object.fromEntries(own.map(({ call, name }) => [call, name]))
  move(ref, value, { session, files: isOwn ? { ...before.files, ...files } : files } satisfies OutputFiles)
  return news
}

/** Returns whether a session still has the files that it is said to have. */
async function hasFiles(reader: Reader, { session, files }: OutputFiles): Promise<boolean> {
  for (const name of Object.values(files))
    if ((await reader.ref(fileRef(session, name))) === undefined) return false
  return true
}

/** Indexes the words of outputs with the entries whose results they are. */
export async function indexOutputs({ reader, writer }: Change, search: OutputSearch): Promise<void> {
  for (const { oid, session, call, name } of await search.take(reader)) {
    const head = await fileHead(reader, session, name)
    const handle = head && (await reader.find(oid))
    if (!head || handle === undefined) continue
    const text = await textOfFile(reader, head)
    writer.index.add(handle, [outputText(call, text, await viewAt(reader, handle))])
  }
  await new Indexer(reader, writer).end()
}
