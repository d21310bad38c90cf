// Lists every file of a folder: its format, what was read of it, and whether it comes back byte for byte. Of the
// real transcripts beside the repository unless a folder is named. Reads the built library (npm run build); works on a
// temporary store and deletes it. Exits with 1 where a file does not come back.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const [folder = fileURLToPath(new URL('../../../shared/corpus', import.meta.url)), library] =
  process.argv.slice(2)
const { openStore } = await import(library ?? new URL('../../dist/index.js', import.meta.url).href)

const root = resolve(folder)
const temp = mkdtempSync(join(tmpdir(), 'sess-table-'))
const store = await openStore(join(temp, 'store'), { create: true, cwd: '/' })

/** Returns the paths of all files below a folder: files that are named are imported whatever they hold. */
const pathsIn = (dir) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** Returns the first bytes of what a session comes back as. */
async function givenBack(session, bytes) {
  const pieces = []
  for await (const piece of store.export(session, { bytes })) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Says what was noticed, each code once with its number. */
function noticed(warnings) {
  const counts = new Map()
  for (const { code } of warnings) counts.set(code, (counts.get(code) ?? 0) + 1)
  return [...counts].map(([code, n]) => (n === 1 ? code : `${n} ${code}`))
}

/** Returns whether the files in a folder's session are what is there; a database gives back rows, not pages. */
function isInFolder(path, stream) {
  const held = path.slice(0, path.indexOf('#'))
  for (let at = 0; at < stream.length; ) {
    const end = stream.indexOf(10, at) + 1
    const header = JSON.parse(stream.subarray(at, end).toString())
    if (header.file === undefined) return true
    at = end + header.bytes
    if (!stream.subarray(end, at).equals(readFileSync(join(held, header.file)))) return false
  }
  return true
}

async function rowOf({ path, session, format, records, entries, bytes, salvaged, warnings }) {
  const branches = await (await store.session(session)).branches()
  const back = await givenBack(session, bytes)
  const isExact = path.includes('#') ? isInFolder(path, back) : back.equals(readFileSync(path))
  const what = [...(salvaged > 0 ? [`${salvaged} salvaged`] : []), ...noticed(warnings)]
  return [
    relative(root, path),
    format,
    records,
    entries,
    branches.length,
    what.join(', '),
    isExact ? 'yes' : 'NO',
  ]
}

try {
  const { files, refused } = await store.import(pathsIn(root))
  const rows = []
  for (const file of files) rows.push(await rowOf(file))
  for (const { path, error } of refused) rows.push([relative(root, path), error.code, '', '', '', '', 'NO'])
  const head = ['file', 'format', 'records', 'entries', 'branches', 'salvaged, noticed', 'byte-exact']
  for (const row of [head, ...rows]) process.stdout.write(`${row.join('\t')}\n`)
  process.exitCode = rows.some((row) => row.at(-1) === 'NO') ? 1 : 0
} finally {
  await store.close()
  rmSync(temp, { recursive: true, force: true })
}
