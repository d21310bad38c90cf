import type { Drawn, Heading } from '../ops/log/drawn.ts'
import type { Call } from './call.ts'
import { drawnData } from './render/drawn.ts'
import { isAscii } from './render/glyphs.ts'
import { Graph } from './render/graph.ts'
import { headingLines } from './render/heading.ts'
import { counted } from './render/text.ts'
import type { Settings } from './settings.ts'
import type { World } from './world.ts'

export interface GraphOptions {
  readonly limit?: number
  readonly ascii?: boolean
  /** Say above each graph what it shows. */
  readonly headed?: boolean
}

const drawsAscii = (graph: Settings['graph'], { variables }: World): boolean =>
  graph === 'ascii' || (graph === 'auto' && isAscii(variables))

/** Prints a drawing as it comes: as a graph, or as one object an entry. */
export async function printGraph(
  { io, world, config }: Call,
  drawing: AsyncIterable<Heading | Drawn>,
  { limit = Number.POSITIVE_INFINITY, ascii = false, headed = false }: GraphOptions,
): Promise<void> {
  const look = {
    columns: io.columns,
    ascii: ascii || drawsAscii(config.value('graph'), world),
    zone: world.zone,
  }
  let graph: Graph | undefined
  let left = limit
  for await (const part of drawing) {
    if ('sessions' in part) {
      if (io.json) continue
      if (headed && graph) await io.print()
      graph = new Graph(look, part)
      if (headed) for (const line of headingLines(part, look)) await io.print(...line)
    } else if (left-- <= 0) {
      if (!io.json)
        await io.note(`stopped after ${counted(limit, 'entry', 'entries')}: leave -n out to see all`)
      return
    } else if (io.json) await io.data(drawnData(part))
    else for (const line of graph?.add(part) ?? []) await io.print(...line)
  }
  if (!graph && !io.json) await io.note('nothing to draw')
}
