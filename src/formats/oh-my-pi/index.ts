import { field } from '../../model/json.ts'
import { isNoTranscript, stemFolder } from '../beside.ts'
import type { Format } from '../format.ts'
import { lines } from '../lines.ts'
import { PiReader } from '../pi/read.ts'
import { usageIn } from '../usage.ts'
import { agent } from './agent.ts'
import { namingBlobs } from './blobs.ts'
import { detect } from './detect.ts'
import { OH_MY_PI } from './dialect.ts'
import { hasTitle, TITLE_BYTES } from './slot.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** The session files of oh-my-pi: those of pi, grown apart within version 3. */
export const ohMyPi: Format = {
  name: 'oh-my-pi',
  dialect: 'omp',
  reading: 1,
  conversational: true,
  detect,
  splitter: lines,
  reader: () => namingBlobs(new PiReader(OH_MY_PI)),
  sidecars: { folder: stemFolder, holds: isNoTranscript, blobs: true },
  mutablePrefix: (head) => (hasTitle(head) ? TITLE_BYTES : 0),
  view,
  usage: { message: (record) => usageIn(field(record, 'message')).usage },
  writer,
  agent,
}
