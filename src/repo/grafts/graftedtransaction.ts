import type { BlobRef } from '../../model/canonical.ts'
import type { Said } from '../../model/said.ts'
import type { MakeOperation, NewRecord, RefMove, SourceNote, Transaction } from '../../storage/backend.ts'
import type { Extent } from '../../storage/extent.ts'
import type { KeptList } from '../../storage/list.ts'
import type { Row } from '../../storage/record.ts'
import type { NewEntry } from '../../storage/runs/packer.ts'
import type { RowLinks } from '../../storage/runs/run.ts'
import { type Joints, plainRow } from './joints.ts'

/** A transaction that takes and gives rows as grafts lift them; bounds of rows are those of storage. */
export class GraftedTransaction implements Transaction {
  readonly #plain: Transaction
  readonly #joints: Joints

  constructor(plain: Transaction, joints: Joints) {
    this.#plain = plain
    this.#joints = joints
  }

  add({ parents, links, ...entry }: NewEntry): Row {
    const row = this.#plain.add({ ...entry, parents: parents.map(plainRow), links: plainLinks(links) })
    return this.#joints.liftedBehind(row, parents)
  }

  record(log: number, position: number, { row, tip, ...record }: NewRecord): void {
    this.#plain.record(log, position, { ...record, row: plainRow(row), tip: plainRow(tip) })
  }

  tell(row: Row, said: readonly Said[]): void {
    this.#plain.tell(plainRow(row), said)
  }

  newLog(): number {
    return this.#plain.newLog()
  }

  keepBytes(bytes: Uint8Array): BlobRef {
    return this.#plain.keepBytes(bytes)
  }

  move(moves: readonly RefMove[]): void {
    this.#plain.move(moves)
  }

  operation(make: MakeOperation): void {
    this.#plain.operation(make)
  }

  note(path: string, note: SourceNote): void {
    this.#plain.note(path, note)
  }

  get indexed(): Row {
    return this.#plain.indexed
  }

  index(to: Row): Promise<void> {
    return this.#plain.index(to)
  }

  forgetIndex(): Promise<void> {
    return this.#plain.forgetIndex()
  }

  cover(session: string, extent: Extent): void {
    this.#plain.cover(session, extent)
  }

  keepList(list: KeptList): void {
    this.#plain.keepList(list)
  }

  relax(): Promise<void> {
    return this.#plain.relax()
  }

  get created(): Transaction['created'] {
    return this.#plain.created
  }

  commit(): Promise<void> {
    return this.#plain.commit()
  }

  abandon(): void {
    this.#plain.abandon()
  }
}

const plainLinks = ({ firstKept, kept, target }: RowLinks): RowLinks => ({
  ...(firstKept === undefined ? {} : { firstKept: plainRow(firstKept) }),
  ...(kept === undefined ? {} : { kept: kept.map(plainRow) }),
  ...(target === undefined ? {} : { target: plainRow(target) }),
})
