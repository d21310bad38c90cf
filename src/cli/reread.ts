import { type Kept, type Reread, rereadSources } from '../ops/reread.ts'
import type { Call } from './call.ts'
import { Progress } from './progress.ts'
import { graftLines } from './render/graft.ts'
import { keptLine, rereadLines } from './render/reread.ts'
import { counted } from './render/text.ts'

/** Reads the stored sources of sessions again, and prints what became of their entries. */
export async function rereadSessions(call: Call, names: readonly string[]): Promise<void> {
  const { io } = call
  let done = 0
  const progress = new Progress(call, () => ({ text: `reading again: ${counted(done, 'session')}` }))
  const read: Reread[] = []
  const kept: Kept[] = []
  try {
    const { grafts } = await rereadSources(await call.repo(), names, {
      onSession: (session) => {
        done++
        if ('map' in session) read.push(session)
        else kept.push(session)
      },
    })
    progress.end()
    if (io.json) {
      for (const session of read) await io.data({ reread: session })
      for (const session of names.length > 0 ? kept : []) await io.data({ kept: session })
      for (const graft of grafts) await io.data({ graft })
      return
    }
    for (const session of read) for (const line of rereadLines(session)) await io.print(...line)
    for (const session of names.length > 0 ? kept : []) await io.print(...keptLine(session))
    for (const line of graftLines(grafts)) await io.print(...line)
  } finally {
    progress.end()
  }
  if (read.length > 0) await io.note('what was before is kept: go back with: sess undo')
  else if (names.length === 0)
    await io.note(`nothing to read again: ${counted(kept.length, 'session')} read by the newest readings`)
}
