import type { Table } from '../table.ts'

/** Bytes that are gathered before they are written. */
const WRITE = 4 << 20

/** Writes what was put where it is much. */
export const settle = async (table: Table): Promise<void> => {
  if (table.pending > WRITE) await table.commit()
}
