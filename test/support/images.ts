import { cpSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { atCalls } from './calls.ts'
import { newFolder } from './folder.ts'

/** A folder as a process leaves it that is killed at a step of its work. */
export interface Image {
  readonly dir: string
  /** Behind which call, or in the midst of which. */
  readonly step: string
  /** How far the work had been acknowledged. */
  readonly acknowledged: number
}

/** No process has so large a number. */
const DEAD = 2 ** 22 + 1

/**
 * Does some work and gives images of a folder: behind each call of it that changes a file, and in the midst of those that
 * write or remove several things. Work says how far it is acknowledged.
 */
export async function imagesOf(
  dir: string,
  work: (acknowledge: (so: number) => void) => Promise<unknown>,
): Promise<Image[]> {
  const root = newFolder()
  const images: Image[] = []
  let acknowledged = 0
  const take = (step: string): void => {
    const image = join(root, `${images.length}`)
    copyOf(dir, image)
    images.push({ dir: image, step, acknowledged })
  }
  await atCalls(dir, { behind: take, amid: take }, () =>
    work((so) => {
      acknowledged = so
    }),
  )
  return images
}

/** Copies a folder that a database may change meanwhile, as of a process that is dead. */
function copyOf(from: string, to: string): void {
  for (;;) {
    try {
      cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.sock') })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      rmSync(to, { recursive: true, force: true })
    }
  }
  const own = new RegExp(`\\.${process.pid}(?=\\.|$|-)`)
  for (const folder of [...readdirSync(to).map((name) => join(to, name)), to])
    if (statSync(folder).isDirectory())
      for (const name of readdirSync(folder))
        if (own.test(name)) renameSync(join(folder, name), join(folder, name.replace(own, `.${DEAD}`)))
}
