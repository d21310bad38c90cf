/** Returns names and their descriptions in two columns. */
export function columns(rows: readonly (readonly [name: string, is: string])[], least = 0): string {
  const width = Math.max(least, ...rows.map(([name]) => name.length))
  return rows.map(([name, is]) => `  ${name.padEnd(width)}  ${is}`).join('\n')
}
