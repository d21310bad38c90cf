/** Returns a document with what the lines behind `$` in its `console` blocks print now. */
export async function rerun(text: string, run: (line: string) => Promise<string>): Promise<string> {
  const shown: string[] = []
  for (const part of text.split(/^(```console\n[^]*?^```\n)/m)) {
    if (!part.startsWith('```console')) {
      shown.push(part)
      continue
    }
    const blocks: string[] = []
    for (const [, line = ''] of part.matchAll(/^\$ (.*)$/gm)) blocks.push(`$ ${line}\n${await run(line)}`)
    shown.push(`\`\`\`console\n${blocks.join('')}\`\`\`\n`)
  }
  return shown.join('')
}
