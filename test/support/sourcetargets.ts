import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { compressedContent } from '../../src/sources/compressed.ts'
import { sessionsIn } from '../../src/sources/databases.ts'
import { Scratch } from '../../src/sources/scratch.ts'
import { damaged, fromFile } from './damaged.ts'
import { newDatabase } from './database.ts'
import { newFolder } from './folder.ts'
import type { StoredTarget } from './storedtargets.ts'

/** Reads a source of a session as import does, and looks that nothing stays behind. */
async function asSource(
  name: string,
  bytes: Uint8Array,
  read: (path: string, scratch: Scratch) => Promise<unknown>,
): Promise<void> {
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  const [path] = fromFile(name, bytes, (file) => [file])
  try {
    await read(path, scratch)
  } catch (error) {
    damaged(error)
  } finally {
    scratch.close()
    rmSync(path)
  }
}

export const TEXT = '{"type":"user","message":{"role":"user","content":"the tide turns"}}\n'.repeat(40)

/** Frames that the reference implementation made: with sequences and a checksum, of one byte, of literals by Huffman. */
const FRAMES = [
  'KLUv/WQ1COUFAKIJHReQuwHIeoYbZO+3b3df0Oam5CaQhozDuEAU5TZb/70ruTdrpfiVr7L6SsvKGD//2vXVvYyTUu2rr1QtpvrOS9+ZNjezV2t3XYEoyhTA1zgxcAUSA3fEbBmfi28hkqVJqKUzBgidkkJq+VLIxkEnWzrmiQkFO6ghiL3/dbCXWg0RfELwCIEMFf7nB7lIgSkDBmxhOTndlLQBY8OIzhaNg2lUhCTXw5hOwpgZ40YTa6QRcVsR2qtKAZAqHEFWoA==',
  'KLUv/QBYRQAAEGFhAQA/ASw=',
]

const SCHEMAS = [
  `PRAGMA page_size=512; CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, created_at INTEGER);
   CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER); CREATE INDEX m ON messages(session_id);
   INSERT INTO sessions VALUES ('s', NULL, 'T', 2); INSERT INTO messages VALUES ('a', 's', 'user', '[{"type":"text"}]', 1), ('b', 's', 'user', '${'x'.repeat(900)}', 2);`,
  `PRAGMA page_size=512; CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
   INSERT INTO meta VALUES ('0', '7b7d'); INSERT INTO blobs VALUES ('f', CAST('{"role":"user"}' AS BLOB)), ('a', x'0a20ff');`,
]

/** Sources of another making than lines. */
export const SOURCES: readonly StoredTarget[] = [
  {
    name: 'gzip',
    seeds: () => [gzipSync(TEXT), Buffer.concat([gzipSync('a\n'), gzipSync(TEXT)])],
    take: (bytes) =>
      asSource('a.jsonl.gz', bytes, async (path, scratch) =>
        compressedContent(path, scratch, 1 << 20)?.open(),
      ),
  },
  {
    name: 'zstd',
    seeds: () => FRAMES.map((frame) => Buffer.from(frame, 'base64')),
    take: (bytes) =>
      asSource('a.jsonl.zst', bytes, async (path, scratch) =>
        compressedContent(path, scratch, 1 << 20)?.open(),
      ),
  },
  {
    name: 'sqlite',
    seeds: () => SCHEMAS.map((sql) => readFileSync(newDatabase(sql))),
    take: (bytes) => asSource('crush.db', bytes, sessionsIn),
  },
]
