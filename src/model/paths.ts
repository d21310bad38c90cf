/** Returns whether a path is a folder or inside it; both absolute, with `/` or `\` as separators. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || beneath(path, folder) !== undefined

/** Returns the last name of a path; the whole of one without names. */
export const lastName = (path: string): string => /[^/\\]+(?=[/\\]*$)/.exec(path)?.[0] ?? path

/** Returns whether a text is part of one of some paths or addresses of repositories, in any case of letters. */
export function isOfProject(paths: readonly string[], asked: string): boolean {
  const part = asked.toLowerCase()
  return paths.some((path) => path.toLowerCase().includes(part))
}

/** Returns a path with the folder that contains it replaced by another; undefined if it is not inside. */
export function moved(path: string, from: string, to: string): string | undefined {
  if (path === from) return to
  const rest = beneath(path, from)
  return rest === undefined ? undefined : `${to.replace(/[/\\]$/, '')}/${rest}`
}

/** Returns the rest of a path after a folder. */
function beneath(path: string, folder: string): string | undefined {
  const end = /[/\\]$/.test(folder) ? folder.length : folder.length + 1
  return path.startsWith(folder) && /[/\\]/.test(path.charAt(end - 1)) ? path.slice(end) : undefined
}

/** Returns the folder of an absolute path, or the one a number of levels above; undefined if there is none. */
export function folderOf(path: string, levels = 0): string | undefined {
  const parts = path.split(/(?=[/\\])/)
  const folder = parts.slice(0, -1 - levels).join('')
  if (folder !== '') return folder
  return parts.length === 1 + levels && path.startsWith('/') ? '/' : undefined
}

/** The longest file name, in bytes, before a suffix is added. */
const NAME_BYTES = 200

const utf8 = new TextEncoder()

/** Characters that end a name, lead elsewhere or are invisible: path separators, control and format characters. */
const NOT_IN_NAMES = /[/\\:\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Returns a text as a file name that is valid on every system; the same text if it is one. A name from a transcript
 * must not lead out of the folder that it is written to.
 */
export function plainFileName(text: string): string {
  const plain = text.replaceAll(NOT_IN_NAMES, '_').replace(/^[.~-]?\.*$/, '_')
  if (utf8.encode(plain).length <= NAME_BYTES) return plain
  const ending = /\.[\w.]{1,16}$/.exec(plain)?.[0] ?? ''
  let kept = plain.slice(0, NAME_BYTES - ending.length)
  while (utf8.encode(kept).length > NAME_BYTES - ending.length) kept = kept.slice(0, -1)
  return kept.toWellFormed().replace(/\ufffd$/, '') + ending
}
