// Loaded before a program by --import: leaves in a file how many milliseconds of CPU the program took, of all its threads.
import { writeFileSync } from 'node:fs'

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeFileSync(process.env.CPU_FILE, `${(user + system) / 1000}`)
})
