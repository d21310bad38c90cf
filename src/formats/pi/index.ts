import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { agent } from './agent.ts'
import { detect } from './detect.ts'
import { PI } from './dialect.ts'
import { TranslatedReader } from './translated.ts'
import { V4 } from './v4.ts'
import { v1, v2, v4 } from './versions.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/**
 * The session files of pi, versions 1 (a line of records), 2 and 3 (a tree by `id` and `parentId`) and 4 (a log of lanes), and what
 * agents built upon it write in the same form, such as OpenClaw.
 */
export const pi: Format = {
  name: 'pi',
  dialect: 'pi',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader: () => new TranslatedReader(PI, new V4()),
  view,
  writer,
  agent,
  variants: { 'pi-v1': { writer: v1, agent }, 'pi-v2': { writer: v2, agent }, 'pi-v4': { writer: v4 } },
}
