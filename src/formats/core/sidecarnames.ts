/** Returns the folder that has the name of a file of JSON lines; undefined of other files. */
export const stemFolder = (name: string): string | undefined =>
  name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) || undefined : undefined

/** Returns the name of a file of JSON lines with another ending; nothing of other files. */
export const namedWith = (name: string, ending: string): readonly string[] => {
  const stem = stemFolder(name)
  return stem === undefined ? [] : [`${stem}${ending}`]
}

/** Returns whether a file is none of JSON lines: those are sessions of their own. */
export const isNoTranscript = (path: string): boolean => !path.endsWith('.jsonl')
