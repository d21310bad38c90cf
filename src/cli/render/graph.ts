import { Graph, headingLines } from '../../text/graph.ts'
import { counted } from '../../text/text.ts'
import type { Settings } from '../../verbs/settings.ts'
import type { GraphEntry, GraphHeading } from '../../verbs/types.ts'
import { drawnData } from '../../verbs/wire.ts'
import type { Invocation } from '../invocation.ts'
import type { Platform } from '../platform.ts'

export interface GraphOptions {
  readonly limit?: number
  readonly ascii?: boolean
  /** Say above each graph what it shows; or only above those of a session that was started from another one. */
  readonly headed?: boolean | 'derived'
}

/** Returns whether graphs are drawn with ASCII alone. */
export const drawsAscii = (graph: Settings['graph'], { variables }: Platform): boolean =>
  graph === 'ascii' || (graph === 'auto' && isAscii(variables))

/** Prints a drawing as it comes: as a graph, or as one object an entry. */
export async function printGraph(
  { io, platform, config, display }: Invocation,
  drawing: AsyncIterable<GraphHeading | GraphEntry>,
  { limit = Number.POSITIVE_INFINITY, ascii = false, headed = false }: GraphOptions,
): Promise<void> {
  const look = { ...display, ascii: ascii || drawsAscii(config.value('graph'), platform) }
  let graph: Graph | undefined
  let left = limit
  for await (const part of drawing) {
    if ('sessions' in part) {
      if (io.json) continue
      const isHeaded =
        headed === 'derived'
          ? part.sessions.some(({ set, parent }) => (set.parent ?? parent) !== null)
          : headed
      if (isHeaded && graph) await io.print()
      graph = new Graph(look, part)
      if (isHeaded) for (const line of headingLines(part, look)) await io.print(...line)
    } else if (left-- <= 0) {
      if (!io.json) await io.note(`stopped after ${counted(limit, 'entry')}: leave -n out to see all`)
      return
    } else if (io.json) await io.data(drawnData(part))
    else for (const line of graph?.add(part) ?? []) await io.print(...line)
  }
  if (!graph && !io.json) await io.note('nothing to draw')
}

/** Returns whether a terminal supports only ASCII: a dumb one, or one whose locale is not UTF-8. */
function isAscii(variables: { readonly [name: string]: string | undefined }): boolean {
  const locale = variables.LC_ALL || variables.LC_CTYPE || variables.LANG || 'UTF-8'
  return variables.TERM === 'dumb' || !/utf-?8/i.test(locale)
}
