/** Gives the folder that has the name of a file of JSON lines; undefined of other files. */
export const stemFolder = (name: string): string | undefined =>
  name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) || undefined : undefined

/** Tells whether a file is none of JSON lines: those are sessions of their own. */
export const isNoTranscript = (path: string): boolean => !path.endsWith('.jsonl')
