/** Gives lines of names and what each stands for, one below the other. */
export function columns(rows: readonly (readonly [name: string, is: string])[], least = 0): string {
  const width = Math.max(least, ...rows.map(([name]) => name.length))
  return rows.map(([name, is]) => `  ${name.padEnd(width)}  ${is}`).join('\n')
}
