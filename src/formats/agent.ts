/** Environment variables, by name. */
export interface Variables {
  readonly [name: string]: string | undefined
}

/** A session as its agent has it: the id that it has there, and its file. */
export interface Resumable {
  readonly id: string
  readonly path: string
}

/** The program whose sessions a format holds. */
export interface Agent {
  /** What people call it. */
  readonly title: string
  /** Gives the absolute path at which it looks for a session, whose place is as its format's writer says. */
  locate(place: readonly string[], variables: Variables): string
  /** Gives the command that goes on with a session, as a list of arguments; it is run in the session's folder. */
  resume(session: Resumable): readonly string[]
}

/** Gives a path below a folder that a variable names, else below one in the user's own folder. */
export function below(
  variables: Variables,
  variable: string,
  usual: string,
  place: readonly string[],
): string {
  const home = variables.HOME ?? variables.USERPROFILE ?? ''
  const named = variables[variable]?.replace(/^~(?=$|[/\\])/, () => home)
  return [(named || `${home}/${usual}`).replace(/(?<=.)[/\\]+$/, ''), ...place].join('/')
}
