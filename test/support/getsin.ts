import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'

/** Returns whether another process, of a build, gets into the database in a folder. */
export async function getsIn(build: string, folder: string): Promise<boolean> {
  const text = `const { isHeld } = await import(${JSON.stringify(`${build}/storage/leveldb/database.js`)})
    process.stdout.write(String(await isHeld(${JSON.stringify(folder)})))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  expect(output).toMatch(/^(?:true|false)$/)
  return output === 'false'
}
