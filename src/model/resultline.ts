/** A line number as agents put it before each line of a file that they read. */
const NUMBER = /^[ \t]*(\d+)(?:→|\t|: |\| ?)/

/** A line that says what follows, before the numbered lines. */
const FRAME = /^<[a-z]+>$|^<([a-z]+)>[^<]*<\/\1>$/

/** The lines that Codex puts before the output of a command. */
const HEAD =
  /^(?:(?:Chunk ID|Command|Exit code|Wall time|Process|Original token count|Total output lines)\b[^\n]*\n){1,8}(?:Output:\n)/

/** The part of a text in which its first line is searched. */
const FAR = 20_000

/**
 * Returns the first line of a tool's result that is not blank, without what an agent puts before it: line numbers, or how
 * long a command took. '' if there is none.
 */
export function firstResultLine(text: string): string {
  const whole = text.slice(0, FAR)
  const [written = ''] = /\S[^\n]*/.exec(whole) ?? []
  // Most results: no line says what they are.
  if (!MARKED.test(written)) return written.trimEnd()
  const lines = whole.slice(HEAD.exec(whole)?.[0].length ?? 0).split('\n')
  const [first = '', second] = lines.filter((line) => line.trim() !== '' && !FRAME.test(line.trim()))
  const number = numberOf(first)
  const isNumbered = number !== undefined && (second === undefined || follows(numberOf(second), number))
  const bare = isNumbered
    ? lines.filter((line) => NUMBER.test(line)).map((line) => line.replace(NUMBER, ''))
    : lines
  return bare.find((line) => line.trim() !== '')?.trim() ?? ''
}

/** A line with which a number, a frame or what Codex says may begin. */
const MARKED = /^(?:\d|<|Chunk ID|Command|Exit code|Wall time)/

const numberOf = (line: string): number | undefined => {
  const [, digits] = NUMBER.exec(line) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Returns whether a line comes after another; the line after the last numbered one may have no number. */
const follows = (next: number | undefined, number: number): boolean =>
  next === undefined || next === number + 1
