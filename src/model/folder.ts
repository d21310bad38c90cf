/** Tells whether a path is a folder or lies below it; both absolute, with `/` or `\` between their parts. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || beneath(path, folder) !== undefined

/** Gives a path with the folder that it is or lies below replaced by another; undefined where it is not there. */
export function moved(path: string, from: string, to: string): string | undefined {
  if (path === from) return to
  const rest = beneath(path, from)
  return rest === undefined ? undefined : `${to.replace(/[/\\]$/, '')}/${rest}`
}

/** Gives what stands behind a folder in the path of something below it. */
function beneath(path: string, folder: string): string | undefined {
  const end = /[/\\]$/.test(folder) ? folder.length : folder.length + 1
  return path.startsWith(folder) && /[/\\]/.test(path.charAt(end - 1)) ? path.slice(end) : undefined
}

/** Gives the folder of a file, or one so many levels above that, of an absolute path; undefined where there is none. */
export function folderOf(path: string, levels = 0): string | undefined {
  const parts = path.split(/(?=[/\\])/)
  const folder = parts.slice(0, -1 - levels).join('')
  if (folder !== '') return folder
  return parts.length === 1 + levels && path.startsWith('/') ? '/' : undefined
}
