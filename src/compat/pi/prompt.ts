import type { AgentMessage, SystemMessage, TextContent, Tool } from './message.ts'

/**
 * Puts the system messages of a context together into one that says what they come to: the texts one after the other,
 * the sections and the tools as they stand in the end. Undefined where there is none.
 */
export function promptOf(
  messages: readonly AgentMessage[],
  now: () => number = Date.now,
): SystemMessage | undefined {
  const said = messages.filter((message): message is SystemMessage => message.role === 'system')
  if (said.length === 0) return undefined
  const sections = new Map<string, string>()
  const tools = new Map<string, Tool>()
  for (const message of said) {
    for (const [name, text] of Object.entries(message.sections ?? {}))
      if (text === null) sections.delete(name)
      else sections.set(name, text)
    for (const { name } of message.toolsRemoved ?? []) tools.delete(name)
    for (const tool of message.toolsAdded ?? []) tools.set(tool.name, tool)
  }
  const texts = said.map(({ content }) => textOf(content)).filter((text) => text !== '')
  return {
    role: 'system',
    content: texts.join('\n\n'),
    ...(sections.size > 0 && { sections: Object.fromEntries(sections) }),
    ...(tools.size > 0 && { toolsAdded: [...tools.values()] }),
    timestamp: now(),
  }
}

const textOf = (content: string | readonly TextContent[] | null): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n')
