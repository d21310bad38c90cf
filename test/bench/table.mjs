// Prints what was measured, for people and as docs/benchmarks.md.
import { cpus, totalmem } from 'node:os'
import { machineHas, packageNames, Skipped, versionOf } from './peers.mjs'

const figure = (value, unit) => {
  if (value === undefined) return ''
  if (unit === 'bytes') return `${Math.round(value)} bytes`
  const number = unit === 'MB' ? value / 1e6 : value
  const digits = number >= 100 ? 0 : number >= 10 ? 1 : number >= 1 ? 2 : 3
  return `${number.toFixed(digits)} ${unit}`
}

const short = (number) =>
  number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2)

/** How each kind of limit is held against two figures: the ratio, whether it reaches a bound, and the words for both. */
const KINDS = {
  faster: {
    ratio: (sess, peer) => peer / sess,
    reaches: (ratio, bound) => ratio >= bound,
    say: (n) => `${n}x faster`,
  },
  smaller: {
    ratio: (sess, peer) => peer / sess,
    reaches: (ratio, bound) => ratio >= bound,
    say: (n) => `1/${n}`,
  },
  times: {
    ratio: (sess, peer) => sess / peer,
    reaches: (ratio, bound) => ratio <= bound,
    say: (n) => `${n} times`,
  },
  most: { ratio: (sess) => sess, reaches: (ratio, bound) => ratio <= bound },
}

/** The note of a row without a limit: its ratio must stay within 1.35 times the one of docs/benchmarks.md. */
export const AS_BEFORE = 'as before, within 1.35'

const bound = ({ limit, unit }, value) => {
  if (value === undefined) return ''
  return limit === 'most' ? `at most ${figure(value, unit)}` : KINDS[limit].say(value)
}

function verdict({ limit, least, aim, oneSize }, ratio, quick) {
  if (least === undefined) return ''
  if (quick && !oneSize) return 'judged at full size'
  const { reaches } = KINDS[limit]
  if (reaches(ratio, aim)) return 'yes, and the aim'
  return reaches(ratio, least) ? 'yes' : '**no**'
}

/**
 * Returns a row of the table: what was measured, or why it was not. A limit holds at full size, so with `quick` only the
 * rows that have one size (`oneSize`) are judged.
 */
export function cells(row, { sess, peer, skipped, failed }, { quick }) {
  const { name, limit, unit } = row
  if (skipped ?? failed)
    return [name, row.peer, '', '', '', '', '', skipped ? `skipped: ${skipped}` : '**failed**']
  const ratio = KINDS[limit].ratio(sess, peer)
  const compared =
    limit === 'most' ? (peer === undefined ? '' : `1/${short(peer / sess)}`) : KINDS[limit].say(short(ratio))
  const limits = [row.note ?? bound(row, row.least), bound(row, row.aim), verdict(row, ratio, quick)]
  return [name, row.peer, figure(sess, unit), figure(peer, unit), compared, ...limits]
}

const HEAD = ['what', 'peer', 'sess', 'peer takes', 'ratio', 'must reach', 'aim', 'reaches']

/** Returns rows as a table of Markdown. */
export function table(rows) {
  return [HEAD, HEAD.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function machine(program) {
  try {
    return machineHas(program)
  } catch (error) {
    if (error instanceof Skipped) return error.message
    throw error
  }
}

/** Returns the page of documents that says what was measured, where and when. */
export function page(rows, { root, minutes }) {
  const [{ model } = { model: 'unknown' }] = cpus()
  const versions = [
    `sess of this commit`,
    `Node ${process.versions.node}`,
    `classic-level ${versionOf(root, 'classic-level')}`,
    ...packageNames(),
    machine('git'),
  ]
  return `# Benchmarks

Written by \`npm run bench -- --write\` on ${new Date().toISOString().slice(0, 10)}, in ${minutes} minutes, from what it measured; nothing in it is typed by hand.

Machine: ${cpus().length} cores of ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}. Versions: ${versions.join(', ')}.

Each figure is the median of several runs, sess and its peer in turns on the same machine in the same run; only the
ratios mean something. Sessions are generated as pi writes them, about 1 KB an entry; the real transcripts are a folder
of many agents' files. [performance.md](performance.md) says where the time goes and what costs grow with.

${table(rows)}
`
}
