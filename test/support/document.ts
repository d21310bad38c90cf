/** Gives a document with what the lines behind `$` in its `console` blocks print now. */
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

/** Gives a document with other text between the marks `<!-- name -->` and `<!-- /name -->`. */
export function marked(document: string, name: string, text: string): string {
  const [from, to] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const [start, end] = [document.indexOf(from), document.indexOf(to)]
  if (start < 0 || end < start) throw new Error(`the document has no marks '${name}'`)
  return `${document.slice(0, start + from.length)}${text}${document.slice(end)}`
}

/** Gives a table of Markdown. */
export const tableOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')
