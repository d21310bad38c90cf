// Loaded before a program by --import: leaves in a file how many bytes the program had resident at most.
import { writeFileSync } from 'node:fs'

process.on('exit', () => writeFileSync(process.env.PEAK_FILE, `${process.resourceUsage().maxRSS * 1024}`))
