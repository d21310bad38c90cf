const TAGGED = /^\s*<([a-z_]+)>\n?([^]*?)\n?<\/\1>\s*$/

/** Returns what a person typed without the tag that an agent puts around it, where the tag is one of those named. */
export function untagged(text: string, ...tags: readonly string[]): string {
  const [, tag = '', words = text] = TAGGED.exec(text) ?? []
  return tags.includes(tag) ? words : text
}
