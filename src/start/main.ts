import type { Interfaces } from '../cli/interfaces.ts'
import { main as runCommandLine } from '../cli/main.ts'

/** The interfaces that commands start, loaded on use: no other command becomes slower. */
const INTERFACES: Interfaces = {
  browse: async (call) => (await import('./browse.ts')).startBrowser(call),
  serve: async (call) => (await import('./serve.ts')).startServing(call),
}

/** Runs a command of the command line, which may start another interface. Returns the exit code. */
export const main = (argv: readonly string[]): Promise<number> =>
  runCommandLine(argv, undefined, undefined, INTERFACES)
