/** The environment variables of a process. */
export interface Variables {
  readonly [name: string]: string | undefined
}

const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:[/\\])/

/** Returns the folder that a variable names. One that is empty or relative is ignored, as XDG demands. */
export function folderIn(variables: Variables, name: string): string | undefined {
  const folder = variables[name]
  return folder !== undefined && ABSOLUTE.test(folder) ? folder : undefined
}
