/** The content of a cell of a graph, independent of the character set. */
export type Cell =
  | 'none'
  | 'node'
  | 'line'
  | 'elided'
  | 'end'
  /** In a row that joins two lanes: the cells between them, and crossings. */
  | 'across'
  | 'crossing'
  /** Its left end, at a lane that continues or begins. */
  | 'right'
  | 'downRight'
  /** Its right end, at a lane that continues, begins or ends. */
  | 'left'
  | 'downLeft'
  | 'upLeft'

/** A row of a drawn graph: a node, what is left out below it, or lanes alone. */
export interface GraphRow {
  readonly kind: 'node' | 'elided' | 'lanes'
  readonly cells: readonly Cell[]
}

/** A node to be drawn; its children were drawn before it. */
export interface Knot {
  readonly id: string
  readonly parents: readonly string[]
  /** Whether entries between it and its first parent are left out. */
  readonly elided?: boolean
  /** Whether it has a parent that is not drawn: its lane ends openly. */
  readonly open?: boolean
}

/**
 * Draws a graph a node at a time, the newest first. Each lane goes down to a node that is still to come, at most one to
 * each, so that it takes memory and time for the lanes beside each other alone.
 */
export class Lanes {
  /** By column: the node that its lane goes down to; null where the column is free. */
  readonly #lanes: (string | null)[] = []
  /** The node that the first column is kept for, until its lane begins. */
  #main: string | undefined
  /** The column whose lane ended with the last row: what began there now would look like its parent. */
  #ended: number | undefined

  constructor(main?: string) {
    this.#main = main
  }

  /** Returns the rows that draw the next node. */
  add({ id, parents: [first, ...others], elided = false, open = false }: Knot): GraphRow[] {
    const rows: GraphRow[] = []
    let column = this.#lanes.indexOf(id)
    if (column < 0) {
      column = this.#take(id, 0)
      if (column === this.#ended) rows.push(this.#row('lanes', column, 'none'))
    }
    rows.push(this.#row('node', column, 'node'))
    this.#lanes[column] = first ?? null
    for (const parent of others) rows.push(...this.#branchOff(column, parent))
    if (elided) rows.push(this.#row('elided', column, 'elided'))
    if (first === undefined && open) rows.push(this.#row('lanes', column, 'end'))
    this.#ended = first === undefined && !open ? column : undefined
    if (first !== undefined) rows.push(...this.#meet(column, first))
    return rows
  }

  /** Assigns the leftmost free column, from a given one, to a lane. */
  #take(id: string, from: number): number {
    if (id === this.#main) {
      this.#main = undefined
      this.#lanes[0] = id
      return 0
    }
    let column = Math.max(from, this.#main === undefined ? 0 : 1)
    while (typeof this.#lanes[column] === 'string') column++
    while (this.#lanes.length < column) this.#lanes.push(null)
    this.#lanes[column] = id
    return column
  }

  /** Leads from a node to a parent beyond its first. */
  #branchOff(column: number, parent: string): GraphRow[] {
    const known = this.#lanes.indexOf(parent)
    if (known === column) return []
    if (known >= 0) return [this.#across(Math.min(column, known), Math.max(column, known), 'right', 'left')]
    const made = this.#take(parent, column + 1)
    return [
      made > column
        ? this.#across(column, made, 'right', 'downLeft')
        : this.#across(made, column, 'downRight', 'left'),
    ]
  }

  /** Joins a lane with another one that goes down to the same node, if there is one. */
  #meet(column: number, parent: string): GraphRow[] {
    if (parent === this.#main && column > 0) {
      this.#take(parent, 0)
      return [this.#join(0, column, 'downRight')]
    }
    const other = this.#lanes.findIndex((id, at) => id === parent && at !== column)
    return other < 0 ? [] : [this.#join(Math.min(column, other), Math.max(column, other), 'right')]
  }

  #join(left: number, right: number, end: Cell): GraphRow {
    const row = this.#across(left, right, end, 'upLeft')
    this.#lanes[right] = null
    while (this.#lanes.length > 0 && this.#lanes.at(-1) === null) this.#lanes.pop()
    return row
  }

  #row(kind: GraphRow['kind'], at: number, cell: Cell): GraphRow {
    const cells = this.#lanes.map((id): Cell => (id === null ? 'none' : 'line'))
    while (cells.length <= at) cells.push('none')
    cells[at] = cell
    while (cells.at(-1) === 'none') cells.pop()
    return { kind, cells }
  }

  #across(left: number, right: number, leftEnd: Cell, rightEnd: Cell): GraphRow {
    const cells = this.#lanes.map((id, at): Cell => {
      const line = id !== null
      if (at === left) return leftEnd
      if (at === right) return rightEnd
      if (at > left && at < right) return line ? 'crossing' : 'across'
      return line ? 'line' : 'none'
    })
    return { kind: 'lanes', cells }
  }
}
