import type { Oid } from '../model/encoding/oid.ts'
import { hasCode } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import { fileRef, OUTPUTS, outputRef } from '../model/refname.ts'
import type { FileHead, OutputFiles } from '../model/refs/values.ts'
import type { EntryText } from '../model/search/entrytext.ts'
import type { Block, View } from '../model/view.ts'
import { findRef } from '../repo/findref.ts'
import type { Reader } from '../repo/reader.ts'
import { bytesOfFile } from './images.ts'

/** The most bytes of an output that are shown and searched. */
export const MAX_OUTPUT = 8 << 20

type ToolResult = Extract<Block, { readonly kind: 'toolResult' }>

const isResult = (block: Block): block is ToolResult => block.kind === 'toolResult'

/** A whole result that is in a file beside a session, of which the entry holds a preview. */
export interface Output {
  /** The id of the call that it answers. */
  readonly id: string
  /** The session that has the file, and the file's name relative to its folder. */
  readonly session: string
  readonly file: string
  /** The size of the file. */
  readonly bytes: number
  /** Its text; of a large file the beginning. */
  readonly text: string
}

/** Finds the whole results of entries. */
export class Outputs {
  readonly #reader: Reader
  /** Whether the store has any. */
  #any: Promise<boolean> | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the whole results of an entry. Damaged files are left out: `fsck` reports them. */
  async of(oid: Oid, view: View): Promise<readonly Output[]> {
    const outputs: Output[] = []
    if (!view.blocks.some(isResult) || !(await this.#hasAny())) return outputs
    const { session, files } = await outputFiles(this.#reader, oid)
    for (const [id, file] of Object.entries(files)) {
      const head = await fileHead(this.#reader, session, file)
      const text = head && (await this.#textOf(head))
      if (text !== undefined) outputs.push({ id, session, file, bytes: head?.bytes ?? 0, text })
    }
    return outputs
  }

  /** Returns the whole results of an entry as texts of it. */
  async texts(entry: EntryHandle, view: View): Promise<EntryText[]> {
    if (!view.blocks.some(isResult) || !(await this.#hasAny())) return []
    const outputs = await this.of(await this.#reader.oid(entry), view)
    return outputs.map(({ id, text }) => outputText(id, text, view))
  }

  #hasAny(): Promise<boolean> {
    this.#any ??= hasOutputs(this.#reader)
    return this.#any
  }

  async #textOf(head: FileHead): Promise<string | undefined> {
    try {
      return await textOfFile(this.#reader, head)
    } catch (error) {
      if (hasCode(error, 'corrupt')) return undefined
      throw error
    }
  }
}

/** Returns a view with whole results in place of their previews. */
export function withOutputs(view: View, outputs: readonly Output[]): View {
  if (outputs.length === 0) return view
  const blocks = view.blocks.map((block) => {
    const output = isResult(block) ? outputs.find(({ id }) => id === block.id) : undefined
    if (!isResult(block) || !output || output.text.length <= block.text.length) return block
    const rest = output.bytes - MAX_OUTPUT
    const text = rest > 0 ? `${output.text}\n… ${rest} more bytes in '${output.file}'` : output.text
    return { ...block, text }
  })
  return { ...view, blocks }
}

/** Returns a whole result as a text of its entry. */
export function outputText(call: string, text: string, { blocks }: View): EntryText {
  const block = blocks.filter(isResult).find(({ id }) => id === call)
  return {
    place: 'tool',
    text,
    call,
    ...(block && { failed: block.error }),
    ...(block?.name !== undefined && { tool: block.name }),
  }
}

async function hasOutputs(reader: Reader): Promise<boolean> {
  for await (const _ of reader.refs(OUTPUTS)) return true
  return false
}

/** Returns the files that hold the whole results of an entry; none of no session where there are none. */
const outputFiles = async (reader: Reader, oid: Oid): Promise<OutputFiles> =>
  (await findRef(reader, outputRef(oid))) ?? { session: '', files: {} }

/** Returns the heads of the files that hold the whole results of an entry. */
export async function outputHeads(reader: Reader, oid: Oid): Promise<FileHead[]> {
  const { session, files } = await outputFiles(reader, oid)
  const heads: FileHead[] = []
  for (const name of Object.values(files))
    heads.push(...[(await fileHead(reader, session, name)) ?? []].flat())
  return heads
}

/** Returns the head of a session's file, or undefined. */
export const fileHead = (reader: Reader, session: string, name: string): Promise<FileHead | undefined> =>
  findRef(reader, fileRef(session, name))

const decoder = new TextDecoder()

/** Returns bytes as text, the first of them where they are too many. */
export const textOfOutput = (bytes: Uint8Array): string => decoder.decode(bytes.subarray(0, MAX_OUTPUT))

/** Returns the text of a stored file, the beginning of a large one. */
export async function textOfFile(reader: Reader, head: FileHead): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytesOfFile(reader, head)) {
    chunks.push(Buffer.from(chunk))
    size += chunk.length
    if (size >= MAX_OUTPUT) break
  }
  return textOfOutput(Buffer.concat(chunks))
}

/** Returns an entry with the whole results that are in files beside its session. */
export async function withWholeResults<T extends { readonly oid: Oid; readonly view: View }>(
  entry: T,
  outputs: Outputs,
): Promise<T> {
  const found = await outputs.of(entry.oid, entry.view)
  return found.length === 0 ? entry : { ...entry, view: withOutputs(entry.view, found) }
}
