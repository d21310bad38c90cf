import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { type Command, GROUPS } from '../../src/cli/define.ts'
import { listedByHelp } from '../support/help.ts'
import { Shell } from '../support/shell.ts'

const HEAD = `# The command line

What \`sess help\` says of each command. This page is made from the program: after a change,
\`npx vitest run --config test/vitest.config.ts test/cli/reference.test.ts -u\` writes it anew.
`

const section = (title: string, text: string): string =>
  `\n## ${title}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`

const TABLE_HEAD = `import type { Command, Group, Listed } from '../define.ts'

type Row = readonly [
  name: string,
  group: Group,
  summary: string,
  load: () => Promise<{ readonly command: Command }>,
]

// Written by test/cli/reference.test.ts from the declarations, in the order that is here: what a newcomer needs first
// comes first. A command starts without loading the others.
const ROWS: readonly Row[] = [
`

const TABLE_TAIL = `]

/** All commands, with what help and completion need to list them. */
export const COMMANDS: readonly Listed[] = ROWS.map(([name, group, summary, load]) => ({
  name,
  group,
  summary,
  load: async () => (await load()).command,
}))
`

const COMMANDS_FOLDER = '../../src/cli/commands/'

/** Returns the table of commands: those that it has in its order, new ones at the end of their group. */
async function table(): Promise<string> {
  const files = readdirSync(fileURLToPath(new URL(COMMANDS_FOLDER, import.meta.url)))
  const names = files.map((file) => file.slice(0, -'.ts'.length)).filter((name) => name !== 'index')
  const commands = await Promise.all(
    names.map(async (name): Promise<Command> => {
      const path = `${COMMANDS_FOLDER}${name}.ts`
      return ((await import(path)) as { readonly command: Command }).command
    }),
  )
  expect(commands.map(({ name }) => name)).toEqual(names)
  const known = COMMANDS.map(({ name }) => name)
  const place = ({ name }: Command): number => (known.includes(name) ? known.indexOf(name) : known.length)
  const rows = Object.keys(GROUPS).flatMap((group) =>
    commands
      .filter((one) => one.group === group)
      .sort((a, b) => place(a) - place(b))
      .map(({ name, summary }) =>
        rowOf([`'${name}'`, `'${group}'`, `'${summary}'`, `() => import('./${name}.ts')`]),
      ),
  )
  return `${TABLE_HEAD}${rows.join('')}${TABLE_TAIL}`
}

/** Returns a row as the formatter breaks it. */
function rowOf(cells: readonly string[]): string {
  const row = `  [${cells.join(', ')}],\n`
  return row.length <= 111 ? row : `  [\n${cells.map((cell) => `    ${cell},\n`).join('')}  ],\n`
}

it('the table of commands says what their declarations say', async () => {
  await expect(await table()).toMatchFileSnapshot('../../src/cli/commands/index.ts')
})

it('docs/cli.md says what the program says', async () => {
  const shell = new Shell({ samples: false })
  const help = (topic: string): Promise<string> =>
    shell.run(`sess help ${topic}`).then(({ stdout }) => stdout)
  const all = await help('')
  const { commands, topics } = await listedByHelp(shell)
  expect(commands).toContain('merge-base')
  const pages: string[] = [HEAD, section('sess', all)]
  for (const name of commands.filter((command) => command !== 'help'))
    pages.push(section(`sess ${name}`, await help(name)))
  for (const topic of topics) {
    const [title = '', , ...lines] = (await help(topic)).split('\n')
    pages.push(section(title, lines.join('\n')))
  }
  await expect(pages.join('')).toMatchFileSnapshot('../../docs/cli.md')
})
