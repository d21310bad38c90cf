import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { agent } from './agent.ts'
import { detect } from './detect.ts'
import { DashReader } from './read.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** The session files of Dash (godel), version 1: a tree by `id` and `parentId`, what is said inline. */
export const dash: Format = {
  name: 'dash',
  dialect: 'dash',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader: () => new DashReader(),
  view,
  writer,
  agent,
}
