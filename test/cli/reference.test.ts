import { expect, it } from 'vitest'
import { listedByHelp } from '../support/help.ts'
import { Shell } from '../support/shell.ts'

const HEAD = `# The command line

What \`sess help\` says of each command. This page is made from the program: after a change,
\`npx vitest run --config test/vitest.config.ts test/cli/reference.test.ts -u\` writes it anew.
`

const section = (title: string, text: string): string =>
  `\n## ${title}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`

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
