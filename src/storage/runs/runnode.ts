import type { Digest } from '../../model/entry.ts'
import type { Traits } from '../../model/view.ts'
import type { Weight } from '../../model/weight.ts'
import { NO_ROW, type Row } from '../record.ts'
import { NO_LINKS, type Node, type RowLinks, type Run, type Slot } from './run.ts'

/** The node of an entry in a run: what is asked for is taken from its columns then, for of most nodes little is. */
export class RunNode implements Node {
  readonly row: Row
  readonly #run: Run
  readonly #i: number

  constructor(row: Row, run: Run) {
    this.row = row
    this.#run = run
    this.#i = row - run.start
  }

  get parents(): readonly Row[] {
    return this.#run.parentsAt(this.#i)
  }

  get type(): string {
    return this.#run.typeAt(this.#i)
  }

  get traits(): Traits {
    return this.#run.traits[this.#i] as number
  }

  get digest(): Digest {
    return this.#run.digestAt(this.#i)
  }

  get links(): RowLinks {
    return this.#run.rare.get(this.#i)?.links ?? NO_LINKS
  }

  get depth(): number {
    return this.#run.depth[this.#i] as number
  }

  get weight(): Weight {
    const { calls, tokens } = this.#run
    return { calls: calls[this.#i] as number, tokens: tokens[this.#i] as number }
  }

  get jump(): Row {
    return this.#run.jump[this.#i] as Row
  }

  get merged(): boolean {
    return this.merge !== NO_ROW
  }

  get merge(): Row {
    return this.#run.merge[this.#i] as Row
  }

  get near(): readonly Row[] {
    return this.#run.near.map((column) => column[this.#i] as Row)
  }
}

/** Gives an entry of a run with where its body stands, to be put into another run. */
export function slotIn(run: Run, row: Row): Slot {
  const node = new RunNode(row, run)
  const { parents, type, traits, digest, links, depth, weight, jump, merged, merge, near } = node
  const [block, index] = run.place(row)
  return { row, parents, type, traits, digest, links, depth, weight, jump, merged, merge, near, block, index }
}
