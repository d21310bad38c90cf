// Parses, serialises, compares and hashes each record of the files below a folder once, and stores nothing.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const LINE_FEED = 10

let records = 0
let same = 0

/** Counts the record, and whether its text is what JSON.stringify writes. */
function read(bytes) {
  const text = bytes.utf8Slice()
  records++
  hash('sha256', bytes)
  try {
    if (JSON.stringify(JSON.parse(text)) === text) same++
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
}

for (const file of readdirSync(process.argv[2], { recursive: true, withFileTypes: true })) {
  if (!file.isFile()) continue
  const bytes = readFileSync(`${file.parentPath}/${file.name}`)
  if (!file.name.endsWith('.jsonl')) {
    read(bytes)
    continue
  }
  for (let start = 0; start < bytes.length; ) {
    const at = bytes.indexOf(LINE_FEED, start)
    const end = at === -1 ? bytes.length : at
    read(bytes.subarray(start, end))
    start = end + 1
  }
}
process.stdout.write(`${records} records, ${same} as JSON.stringify writes them\n`)
