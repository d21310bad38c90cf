import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { GROUPS } from '../../src/cli/define.ts'
import { reflow } from '../../src/text/wrap.ts'
import { listedByHelp } from '../support/help.ts'
import { Shell } from '../support/shell.ts'

const HEAD = `# The command line

Every command with its arguments and options, for users who look one up. New users start with the tour in the [README](../README.md).
\`sess help COMMAND\` prints the same with examples.

This page is written from the declarations of the commands: \`npx vitest run --config test/vitest.config.ts
test/cli/reference.test.ts -u\` writes it again.
`

/** An argument or an option: its term, and its description in one line. */
type Term = readonly [term: string, about: string]

/** The parts of the help on a command that the page shows. */
interface Entry {
  readonly usage: string
  readonly summary: string
  readonly terms: readonly Term[]
  /** Paragraphs. */
  readonly notes: readonly string[]
}

const DRY_RUN: Term = ['-n, --dry-run', 'of all commands that write: show what would change; write nothing']

/** Options that this many commands share are described once. */
const SHARED = 3

const WIDTH = 110

const block = (text: string): string => `\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`

const withoutExamples = (text: string): string => text.split('\nExamples:')[0] ?? ''

/** Returns the terms under a heading of a help text. */
function termsUnder(heading: string, paragraphs: readonly string[]): Term[] {
  const terms: [string, string][] = []
  const [list = ''] = paragraphs.filter((one) => one.startsWith(`${heading}:\n`))
  for (const line of list.split('\n').slice(1)) {
    const [, term, about = ''] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? []
    const last = terms.at(-1)
    if (term !== undefined) terms.push([term, about])
    else if (last) last[1] = `${last[1]} ${line.trim()}`.trim()
  }
  return terms.filter(([term]) => term !== '-h, --help' && term !== '-n, --dry-run')
}

/** Returns the parts of a help text, without what all commands have. */
function entryOf(text: string): Entry {
  const [usage = '', summary = '', ...paragraphs] = withoutExamples(text).trim().split('\n\n')
  return {
    usage: usage.replace('Usage: ', '').replace(' [options]', ''),
    summary,
    terms: ['Arguments', 'Options'].flatMap((heading) => termsUnder(heading, paragraphs)),
    notes: paragraphs.filter((one) => !/^(?:Arguments|Options|Commands|Settings):\n/.test(one)),
  }
}

function listOf(terms: readonly Term[]): string {
  const wide = Math.max(...terms.map(([term]) => term.length)) + 2
  return terms.map(([term, about]) => `${reflow(`  ${term.padEnd(wide)}${about}`, WIDTH)}\n`).join('')
}

/** Returns the texts that so many or more have, once each. */
const inSeveral = (texts: readonly string[], least: number): string[] =>
  [...new Set(texts)].filter((text) => texts.filter((one) => one === text).length >= least)

/** The options and paragraphs that commands share. */
interface Shared {
  readonly terms: readonly Term[]
  readonly notes: readonly string[]
}

/** Returns the section of a command, with the options that commands share by their flags alone. */
function sectionOf({ usage, summary, terms, notes }: Entry, shared: Shared): string {
  const isShared = ([term, about]: Term): boolean => shared.terms.some(([a, b]) => a === term && b === about)
  const flags = terms.filter(isShared).map(([term]) => term.replace(/^-\w, (?=--)/, '').replace(/ .*/, ''))
  const also: Term[] = flags.length > 0 ? [['also', flags.join(' ')]] : []
  const list = listOf([...terms.filter((term) => !isShared(term)), ...also])
  const own = notes.filter((note) => !shared.notes.includes(note)).join('\n\n')
  const text = [list, own].filter((part) => part !== '').join('\n')
  return `\n### \`${usage}\`\n${sentence(summary)}\n${text === '' ? '' : block(text)}`
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const COMMANDS_FOLDER = new URL('../../src/cli/commands/', import.meta.url)

it('the table of commands has all of them', () => {
  const names = readdirSync(COMMANDS_FOLDER).map((file) => file.replace('.ts', ''))
  expect(COMMANDS.map(({ name }) => name).sort()).toEqual(names.filter((name) => name !== 'index').sort())
})

it('docs/cli.md says what the program says', async () => {
  const shell = new Shell({ samples: false })
  const help = async (topic: string): Promise<string> => (await shell.run(`sess help ${topic}`)).stdout
  const groups: [title: string, entries: Entry[]][] = []
  for (const [group, title] of Object.entries(GROUPS)) {
    const entries: Entry[] = []
    for (const { load, name } of COMMANDS.filter((one) => one.group === group && one.name !== 'help')) {
      const { commands } = await load()
      entries.push(entryOf(await help(name)))
      for (const sub of commands) entries.push(entryOf(await help(`${name} ${sub.name}`)))
    }
    if (entries.length > 0) groups.push([title.replace(':', ''), entries])
  }
  const all = groups.flatMap(([, entries]) => entries)
  expect(all.map(({ usage }) => usage)).toContain('sess merge-base <a> <b>')
  const options = all.flatMap(({ terms }) =>
    terms.filter(([term]) => term.startsWith('-')).map((term) => term.join('\n')),
  )
  const shared: Shared = {
    terms: inSeveral(options, SHARED).map((option): Term => option.split('\n') as [string, string]),
    notes: inSeveral(
      all.flatMap(({ notes }) => notes),
      2,
    ),
  }
  const pages = [
    HEAD,
    `\n## Options of all commands\n${block(listOf(termsUnder('Options', (await help('')).split('\n\n'))))}`,
    `\n## Options of several commands\nA command that has one names it after \`also\`.\n${block(`${listOf([DRY_RUN, ...shared.terms])}\n${shared.notes.join('\n\n')}`)}`,
    ...groups.flatMap(([title, entries]) => [
      `\n## ${title}\n`,
      ...entries.map((entry) => sectionOf(entry, shared)),
    ]),
  ]
  const { topics } = await listedByHelp(shell)
  for (const topic of topics) {
    const [title = '', ...paragraphs] = (await help(topic)).trim().split('\n\n')
    pages.push(`\n## ${title}\n${block(paragraphs.slice(0, topic === 'json' ? 1 : undefined).join('\n\n'))}`)
  }
  await expect(pages.join('')).toMatchFileSnapshot('../../docs/cli.md')
})
