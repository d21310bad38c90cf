import { encode } from '../../model/canonical.ts'
import type { RefName } from '../../model/refname.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { compressDense, decompress, isCompressed, isDense } from '../level/block.ts'
import { type Key, numberAt, prefixEnd, SPACE } from '../level/keys.ts'
import type { KeyValueStore } from '../level/keyvaluestore.ts'
import { decodeSourceNote } from '../level/notes.ts'
import { operationPut, readOperation } from '../level/operations.ts'
import { decodeRef, encodeRef } from '../level/refvalue.ts'
import { commitIfLarge } from './densepacker.ts'
import type { ContentEdits } from './scope.ts'

/** The spaces with small values: extents, the list of sessions, operations, refs, notes, the index of words. */
const SPACES = [SPACE.coverage, SPACE.list, SPACE.operation, SPACE.ref, SPACE.source, SPACE.words]

const utf8 = new TextDecoder()

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** Copies small values, and later their changes. */
export class SmallValueCopier {
  readonly #target: KeyValueStore
  readonly #revision: ContentEdits
  /** The checksums of the copied values, by key. */
  readonly #copied = new Map<string, string>()

  constructor(target: KeyValueStore, revision: ContentEdits) {
    this.#target = target
    this.#revision = revision
  }

  /** Copies what is new or changed, and deletes what is gone. Of operations only those after `dropped`. */
  async copy(source: KeyValueStore, dropped: number): Promise<void> {
    const gone = new Set(this.#copied.keys())
    const { dropWords: forgetWords, ref } = this.#revision
    // The list of sessions repeats refs. Without it, refs are read.
    const left: number[] = [...(forgetWords ? [SPACE.words] : []), ...(ref ? [SPACE.list] : [])]
    const spaces = SPACES.filter((space) => !left.includes(space))
    for (const space of spaces)
      for await (const [key, value] of source.range(Uint8Array.of(space), prefixEnd(Uint8Array.of(space)))) {
        if (space === SPACE.operation && numberAt(key, 1, 6) <= dropped) continue
        const name = textOf(key)
        const sum = textOf(value.subarray(0, 8))
        if (this.#copied.get(name) !== sum) {
          const revised = await this.#revised(source, key, value)
          // A deletion of what was never copied would write its key, which may be what must not be there.
          if (revised === undefined) continue
          this.#copied.set(name, sum)
          this.#target.put(key, revised)
        }
        gone.delete(name)
        await commitIfLarge(this.#target)
      }
    for (const name of gone) {
      this.#copied.delete(name)
      this.#target.put(Buffer.from(name, 'latin1'), undefined)
    }
  }

  async #revised(source: KeyValueStore, key: Key, value: Uint8Array): Promise<Uint8Array | undefined> {
    const { ref, operation, note } = this.#revision
    const bytes = (): Uint8Array => removeChecksum(key, value, 'a value')
    const name = (): string => utf8.decode(key.subarray(1))
    if (key[0] === SPACE.words) return repacked(key, bytes())
    if (key[0] === SPACE.ref && ref) {
      const is = wellFormed(`the ref ${name()}`, () => decodeRef(bytes()))
      return addChecksum(key, encodeRef(ref(is, name() as RefName)))
    }
    if (key[0] === SPACE.source && note) {
      const next = note(decodeSourceNote(bytes(), name()), name())
      return next && addChecksum(key, encode(next))
    }
    if (key[0] === SPACE.operation && operation) {
      const is = readOperation(source, numberAt(key, 1, 6))
      return is && operationPut(operation(is)).value
    }
    if (key[0] === SPACE.operation) return repacked(key, bytes())
    return value
  }
}

async function repacked(key: Key, packed: Uint8Array): Promise<Uint8Array> {
  return addChecksum(
    key,
    isCompressed(packed) && !isDense(packed) ? await compressDense(decompress(packed)) : packed,
  )
}
