import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Random } from './random.ts'

const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer | undefined>> = {
  bits: (bytes, random) => {
    const damaged = Buffer.from(bytes)
    for (let n = random.below(3); n >= 0; n--) damaged[random.below(bytes.length)]! ^= 1 << random.below(8)
    return damaged
  },
  cut: (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  zeroed: (bytes, random) => {
    const from = random.below(bytes.length)
    return Buffer.from(bytes).fill(0, from, from + 1 + random.below(bytes.length - from))
  },
  emptied: () => Buffer.alloc(0),
  lengthened: (bytes, random) =>
    Buffer.concat([
      bytes,
      Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256))),
    ]),
  doubled: (bytes, random) => Buffer.concat([bytes, bytes.subarray(random.below(bytes.length))]),
  shifted: (bytes, random) => {
    const at = random.below(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(64))])
  },
  deleted: () => undefined,
}

/** Returns the files of a store that hold something. */
const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true })
    .map(String)
    .filter((name) => !/^LO(?:CK|G)/.test(basename(name)) && !name.startsWith('broken'))
    .filter((name) => statSync(join(dir, name)).isFile() && statSync(join(dir, name)).size > 0)
    .sort()

/** Replaces the database of a store by that of a former state. */
function rollBack(dir: string, former: string): void {
  for (const name of readdirSync(dir))
    if (/^db\.\d+$/.test(name)) rmSync(join(dir, name), { recursive: true })
  for (const name of readdirSync(former))
    if (/^(?:db\.\d+|generation)$/.test(name))
      cpSync(join(former, name), join(dir, name), { recursive: true })
}

/** Damages some files of a store, and returns how. Files, or the whole database, may become those of a former state. */
export function damage(dir: string, former: string | undefined, random: Random): string {
  if (former !== undefined && random.once(12)) {
    rollBack(dir, former)
    return 'db. rolled back'
  }
  return Array.from({ length: 1 + random.below(4) }, () => {
    const names = filesIn(dir)
    const name = random.pick(names)
    const path = join(dir, name)
    if (former !== undefined && random.once(3) && existsSync(join(former, name))) {
      cpSync(join(former, name), path)
      return `${name} rolled back`
    }
    const kind = random.pick(Object.keys(DAMAGES))
    const bytes = DAMAGES[kind]?.(readFileSync(path), random)
    if (bytes) writeFileSync(path, bytes)
    else rmSync(path)
    return `${name} ${kind}`
  }).join(', ')
}
