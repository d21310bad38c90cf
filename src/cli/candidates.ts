import type { SessError } from '../model/errors.ts'
import { candidates } from '../ops/names/candidates.ts'
import type { Call } from './call.ts'
import { candidateLines } from './render/candidates.ts'

/** Adds the candidates to an error about an ambiguous name. */
export async function tellCandidates(call: Call, error: SessError): Promise<void> {
  const { io, world, opened } = call
  if (!opened) return
  const found = await candidates(opened, error.candidates)
  const name = /'(.*)'/s.exec(error.message)?.[1] ?? ''
  const lines = candidateLines(name, found, { columns: io.columns, zone: world.zone })
  call.detail = { lines, data: { candidates: found.map((candidate) => ({ ...candidate })) } }
}
