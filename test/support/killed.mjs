// Runs the command line, and kills this process right before its call N of the file system that changes something.
// node killed.mjs BUILD N ARGUMENT...
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const [, , build, at, ...argv] = process.argv
let calls = 0
const step = () => {
  if (calls++ === Number(at)) process.kill(process.pid, 'SIGKILL')
}
for (const name of ['openSync', 'fsync', 'fsyncSync', 'linkSync', 'renameSync', 'rmSync', 'writeFileSync']) {
  const call = fs[name]
  fs[name] = (...args) => {
    step()
    if (name === 'writeFileSync' && typeof args[0] === 'number') {
      // A half of what is written may be there too.
      call(args[0], args[1].slice(0, args[1].length >> 1))
      step()
      return call(args[0], args[1].slice(args[1].length >> 1), ...args.slice(2))
    }
    return call(...args)
  }
}
syncBuiltinESMExports()
const { main } = await import(`${build}/cli/main.js`)
await main(argv)
