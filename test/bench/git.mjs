// Histories for git: streams for `git fast-import`, one commit per message, each body a blob.
import { closeSync, openSync, writeSync } from 'node:fs'

/** Writes text to a file in large pieces. */
function writeAll(path, parts) {
  const file = openSync(path, 'w')
  let waiting = []
  let size = 0
  for (const part of parts) {
    waiting.push(part)
    size += part.length
    if (size < 4 << 20) continue
    writeSync(file, waiting.join(''))
    waiting = []
    size = 0
  }
  writeSync(file, waiting.join(''))
  closeSync(file)
  return path
}

const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`

const commit = (branch, n, from) =>
  `commit refs/heads/${branch}\nmark :${n + 1}\ncommitter bench <bench@localhost> ${1_770_000_000 + n} +0000\n` +
  `${data(`${n}`)}${from === undefined ? '' : `from :${from + 1}\n`}`

/** Writes a stream of one commit per message, each with the message as the file `entry`. */
export const writeCommits = (path, messages) =>
  writeAll(
    path,
    messages.map(
      (message, n) => `${commit('main', n)}M 100644 inline entry\n${data(JSON.stringify(message))}`,
    ),
  )

/** Writes a stream of commits without files: `main` so deep, and `side` with ten of its own from the middle. */
export const writeShape = (path, depth) =>
  writeAll(path, [
    ...Array.from({ length: depth }, (_, n) => commit('main', n)),
    ...Array.from({ length: 10 }, (_, n) => commit('side', depth + n, n === 0 ? depth >> 1 : undefined)),
  ])

/** Writes a stream of one commit that holds each of some texts as a file. */
export const writeFiles = (path, texts) =>
  writeAll(path, [
    commit('main', 0),
    ...texts.map((text, n) => `M 100644 inline ${`${n}`.padStart(8, '0')}\n${data(text)}`),
  ])
