// The work of a program that copies a file of JSON lines without a store: parses and writes each line.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

for await (const line of createInterface({ input: createReadStream(process.argv[2]) }))
  if (!process.stdout.write(`${JSON.stringify(JSON.parse(line))}\n`))
    await new Promise((resolve) => process.stdout.once('drain', resolve))
