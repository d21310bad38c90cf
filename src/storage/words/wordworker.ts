/* oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { WordGatherer } from './words.ts'
import { encodeWords } from './wordsegment.ts'
import type { Answer, Request } from './wordthread.ts'

/* Gathers words in a thread of its own. */

const main = parentPort as MessagePort
const gatherer = new WordGatherer()

function answered(request: Request): Answer {
  if ('from' in request)
    return { bytes: encodeWords(request.from, request.to, gatherer.take(request.from, request.to)) }
  gatherer.tellAll(request)
  return { size: request.size }
}

main.on('message', (request: Request) => main.postMessage(answered(request)))
