import { exportTo } from '../ops/export/destinations.ts'
import { exportSession, type Loss } from '../ops/export/export.ts'
import {
  EXPORTED,
  filesIn,
  firstBytes,
  optionsOf,
  WRITTEN,
  WRITTEN_SOMETIMES,
  type WrittenSession,
  writtenOutput,
} from './exporting.ts'
import { flag, required } from './input.ts'
import { object } from './schema.ts'
import { file } from './values.ts'
import { verb } from './verb.ts'

export const exportFile = verb({
  name: 'export-file',
  summary: 'write a session to a new file or into a folder',
  effect: 'write',
  input: {
    ...EXPORTED,
    bytes: firstBytes,
    out: required(file('path'), 'the new file, or the folder'),
    force: flag('overwrite an existing file'),
  },
  output: writtenOutput<WrittenSession>(object(WRITTEN, WRITTEN_SOMETIMES)),
  run: async (context, { session: name, out, force, ...asked }) => {
    const { repo, where } = context
    const losses: Loss[] = []
    const how = await optionsOf(context, asked, (loss) => losses.push(loss))
    const files = filesIn(context)
    // A part of a session is not remembered: it cannot be continued.
    const isPart = asked.bytes !== undefined || repo.atOperation !== undefined
    const written = isPart
      ? await files.file(where.absolute(out), exportSession(repo, name, how), { force })
      : (await exportTo(repo, name, out, { ...how, force }, files)).file
    return { session: name, ...written, losses }
  },
})
