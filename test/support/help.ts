import type { Shell } from './shell.ts'

const names = (text: string): string[] =>
  [...text.matchAll(/^ {2}([a-z]+(?:-[a-z]+)*) {2}/gm)].map(([, name = '']) => name)

/** Returns the commands and the topics that help lists, in its order. */
export async function listedByHelp(shell: Shell): Promise<{ commands: string[]; topics: string[] }> {
  const { stdout } = await shell.run('sess help')
  const [commands = '', topics = ''] = stdout.split(/^Topics/m)
  return { commands: names(commands), topics: names(topics) }
}
