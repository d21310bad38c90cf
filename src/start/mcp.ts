import { stdin, stdout } from 'node:process'
import type { McpCall } from '../cli/interfaces.ts'
import { idsInVariables } from '../mcp/asking.ts'
import type { Memory } from '../mcp/memory.ts'
import { serveOnStreams } from '../mcp/stdio.ts'
import { contextOf, openStore, type Store } from '../verbs/open.ts'
import { pricesIn } from '../verbs/settingvalues.ts'

/** Serves tools on standard input and output until the input ends, with a store that is opened at the first call. */
export async function startMcp(call: McpCall): Promise<void> {
  const { options, zone, config, machine, signal, write, secrets, version, onError } = call
  let opening: Promise<Store> | undefined
  const open = (): Promise<Store> => {
    opening ??= openStore(call.store(), options).catch((error: unknown) => {
      // An agent may ask again once there is a store.
      opening = undefined
      throw error
    })
    return opening
  }
  const memory: Memory = {
    context: async ({ signal: cancelled, command }) =>
      contextOf(await open(), {
        signal: AbortSignal.any([signal, cancelled]),
        command: `sess mcp ${command}`,
        actor: 'program',
        zone,
        config,
        machine,
        priceOf: pricesIn(config),
      }),
    writes: write,
    showsSecrets: secrets,
    version,
    asker: { ids: idsInVariables(machine.variables), started: Date.now() },
  }
  try {
    await serveOnStreams(memory, { input: stdin, output: stdout, signal, onError })
  } finally {
    await (await opening?.catch(() => undefined))?.close()
  }
}
