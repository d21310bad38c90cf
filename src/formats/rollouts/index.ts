import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { sidecar } from '../sidecar.ts'
import { agent } from './agent.ts'
import { beside } from './beside.ts'
import { detect, isSessionFolder } from './detect.ts'
import { folder as folderWriter } from './folder.ts'
import { rolloutsReader } from './read.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** The sessions of rollouts: JSONL files with a header, and the `messages.jsonl` of session folders. */
export const rollouts: Format = {
  name: 'rollouts',
  dialect: 'rollouts',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader: rolloutsReader,
  sidecars: beside,
  view,
  writer,
  agent,
  variants: { 'rollouts-folder': { writer: folderWriter, agent } },
}

/** What a session folder of rollouts says of its session: status, tags, reward, what it is a branch of. */
export const rolloutsSession: Format = sidecar({
  name: 'rollouts-session',
  detect: ({ head }) =>
    /^\s*\{\s*"session_id"\s*:\s*"[^"]*"\s*,\s*"parent_id"\s*:[^]*"branch_point"\s*:/.test(
      new TextDecoder().decode(head.subarray(0, 4096)),
    ),
  facts: (_name, folder = '') => (isSessionFolder(folder) ? { id: `${folder}-session` } : {}),
})
