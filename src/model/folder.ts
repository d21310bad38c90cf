/** Returns whether a path is a folder or inside it; both absolute, with `/` or `\` as separators. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || beneath(path, folder) !== undefined

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

/** Returns the folder of an absolute path, or one so many levels above; undefined if there is none. */
export function folderOf(path: string, levels = 0): string | undefined {
  const parts = path.split(/(?=[/\\])/)
  const folder = parts.slice(0, -1 - levels).join('')
  if (folder !== '') return folder
  return parts.length === 1 + levels && path.startsWith('/') ? '/' : undefined
}
