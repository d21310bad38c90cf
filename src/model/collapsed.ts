/** Parts of runs. In a run of megabytes the engine now and then fails with an expression that has no bound. */
const RUNS = { ' ': / {2,999}/g, '\\': /\\{2,999}/g } as const

/** Returns a text with a single one of a character in place of each run of it. */
export function collapsed(text: string, char: keyof typeof RUNS): string {
  let shorter = text
  while (shorter.includes(char + char)) shorter = shorter.replace(RUNS[char], () => char)
  return shorter
}
